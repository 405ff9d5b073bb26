// Runs before anything is painted, so that the page does not flash.
(() => {
  try {
    const theme = localStorage.getItem("memoir.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch { /* storage is off: the system decides */ }
})();
