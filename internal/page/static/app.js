// The frame of the page: which view is shown, keys, language, theme, events.
import { ask, chord, clear, dim, h, say } from "./dom.js";
import { listen } from "./api.js";
import { view as agents } from "./agents.js";
import { view as days } from "./days.js";
import { view as entries } from "./entries.js";
import { view as health } from "./health.js";
import { language, setLanguage, t } from "./i18n.js";
import { view as notes } from "./notes.js";
import { view as picture } from "./picture.js";
import { view as search } from "./search.js";
import { unkept } from "./store.js";
import { readOnly, undo } from "./undo.js";

const views = { search, notes, entries, days, agents, picture, health };

const main = document.getElementById("main");
let now = null; // the view that is shown

// route reads an address such as #/notes/memory/2026-03-02.md?line=3.
function route() {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const [name, ...rest] = path.split("/").slice(1);
  const decoded = rest.map((x) => {
    try {
      return decodeURIComponent(x);
    } catch {
      return x;
    }
  });
  return { name: name in views ? name : "search", rest: decoded.join("/"), params: new URLSearchParams(query) };
}

function show() {
  const to = route();
  now?.gone?.();
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.view === to.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  now = views[to.name](to);
  clear(main, now.el);
  main.className = "view-" + to.name;
  document.title = now.title + " · memoir";
  if (now.start) now.start();
  else main.focus({ preventScroll: true });
}

function words() {
  for (const el of document.querySelectorAll("[data-t]")) el.textContent = t(el.dataset.t);
  for (const el of document.querySelectorAll("[data-label]")) {
    el.setAttribute("aria-label", t(el.dataset.label));
    if (el.tagName === "BUTTON" || el.tagName === "SELECT") el.title = t(el.dataset.label);
  }
  const other = document.getElementById("lang");
  other.textContent = language() === "zh" ? "English" : "中文";
  other.lang = language() === "zh" ? "en" : "zh-CN";
  other.title = t("switch.language");
}

function help() {
  const row = (keys, text) => [h("dt", null, keys.map((k) => h(k === "…" ? "span" : "kbd", null, k))), h("dd", null, t(text))];
  ask(t("help.title"), (done) => [
    h("dl", { class: "keys" }, row(["/"], "help.search"), row(["j", "k"], "help.move"), row(["Enter"], "help.open"), row(["e"], "help.edit"), row(["n"], "help.new"), row(["u"], "help.undo"),
      row(["w"], "help.why"), row(["Ctrl", "Enter"], "help.save"), row(["1", "…", "7"], "help.views"), row(["Esc"], "help.back"), row(["?"], "help.help")),
    dim("memoir " + document.documentElement.dataset.version),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => done() }, t("close"))),
  ]);
}

document.addEventListener("undone", () => now?.told?.({ type: "undone" }));

const typing = (el) => el.isContentEditable || ["TEXTAREA", "SELECT"].includes(el.tagName) || (el.tagName === "INPUT" && !["checkbox", "radio", "button"].includes(el.type));

document.addEventListener("keydown", (ev) => {
  if (ev.defaultPrevented || ev.isComposing || document.querySelector("dialog[open]")) return;
  if (now?.keys?.(ev, typing(ev.target))) {
    ev.preventDefault();
    return;
  }
  if (chord(ev) || typing(ev.target)) return;
  const names = Object.keys(views);
  if (ev.key === "/") {
    if (route().name === "search") now?.start?.();
    else location.hash = "#/search";
  } else if (ev.key === "?") help();
  else if (ev.key === "u") undo();
  else if (ev.key === "n" && !readOnly) location.hash = "#/notes?new=1";
  else if (/^[1-7]$/.test(ev.key)) location.hash = "#/" + names[ev.key - 1];
  else return;
  ev.preventDefault();
});

document.getElementById("help").addEventListener("click", help);
document.getElementById("lang").addEventListener("click", () => {
  setLanguage(language() === "zh" ? "en" : "zh");
  words();
  show();
});
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement.dataset;
  const dark = root.theme === "dark";
  root.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("memoir.theme", root.theme);
  } catch { /* storage is off */ }
  say(t(dark ? "theme.light" : "theme.dark"));
});
document.querySelector(".skip").addEventListener("click", (ev) => {
  ev.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", show);
window.addEventListener("beforeunload", (ev) => {
  now?.keeps?.();
  if (unkept("draft:")) ev.preventDefault();
});

// The workspaces of a server that has several: each has a page of its own.
const spaces = JSON.parse(document.documentElement.dataset.spaces ?? "[]");
if (spaces.length > 1) {
  const space = document.getElementById("space");
  const here = location.pathname;
  space.append(...spaces.map((x) => h("option", { value: x.path, selected: x.path === here }, x.name)));
  space.hidden = false;
  space.addEventListener("change", () => location.assign(space.value + "#/" + route().name));
}

const live = document.getElementById("live");
listen((ev) => now?.told?.(ev), (there) => { live.textContent = there ? "" : t("offline"); });

words();
show();
