// Runs before anything is painted, so that the page does not flash. Unset, the system's theme holds.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    let theme = null;
    try {
      theme = localStorage.getItem("memoir.theme");
    } catch { /* storage is off */ }
    document.documentElement.dataset.theme = ["dark", "light"].includes(theme) ? theme : dark.matches ? "dark" : "light";
  };
  set();
  dark.addEventListener("change", set);
})();
