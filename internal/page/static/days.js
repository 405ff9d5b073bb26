// Days: a calendar with what was logged, remembered and corrected.
import { button, chord, clear, dim, failure, h, icon, later, say } from "./dom.js";
import { get } from "./api.js";
import { day, language, month, t, time, word } from "./i18n.js";
import { noteLink } from "./parts.js";

const iso = (at) => `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;

export function view(route) {
  const today = iso(new Date());
  let chosen = /^\d{4}-\d\d-\d\d$/.test(route.rest) ? route.rest : "";
  let shown = /^\d{4}-\d\d/.test(route.rest) ? route.rest.slice(0, 7) : today.slice(0, 7);
  let days = new Map(), turn = 0;
  const grid = h("div", { class: "calendar", role: "group", "aria-label": t("days.calendar") });
  const list = h("section", { "aria-live": "polite" });
  const title = h("h1");
  const el = h("div", { class: "sheet" },
    h("div", { class: "title" }, title, h("div", { class: "beside" },
      button(icon("left"), () => step(-1), { "aria-label": t("days.before"), title: t("days.before") }), button(t("days.today"), () => { chosen = today; shown = today.slice(0, 7); load(); }), button(icon("right"), () => step(1), { "aria-label": t("days.after"), title: t("days.after") }))),
    h("section", null, grid, h("p", { class: "legend dim" }, ["logged", "remembered", "corrected"].map((x) => h("span", { class: "pips legend-pip" }, h("span", { class: "pip-" + x }, t("days." + x)))))), list);

  function step(by) {
    const [y, m] = shown.split("-").map(Number);
    const at = new Date(y, m - 1 + by, 1);
    shown = iso(at).slice(0, 7);
    chosen = "";
    load();
  }

  async function load() {
    const mine = ++turn;
    const [y, m] = shown.split("-").map(Number);
    const last = new Date(y, m, 0).getDate();
    history.replaceState(null, "", "#/days/" + (chosen || shown));
    title.textContent = month(shown);
    try {
      const found = await get(`/v1/days?from=${shown}-01&to=${shown}-${last}`);
      if (mine !== turn) return;
      days = new Map(found.days.map((d) => [d.day, d]));
      paint(y, m, last);
    } catch (err) {
      if (mine === turn) clear(list, failure(err, load));
    }
  }

  function paint(y, m, last) {
    const before = (new Date(y, m - 1, 1).getDay() + 6) % 7; // weeks begin on Monday
    const names = Array.from({ length: 7 }, (_, i) => new Intl.DateTimeFormat(language(), { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2024, 0, 1 + i)));
    clear(grid, names.map((n) => h("div", { class: "weekday", "aria-hidden": "true" }, n)), Array.from({ length: before }, () => h("span")),
      Array.from({ length: last }, (_, i) => {
        const at = `${shown}-${String(i + 1).padStart(2, "0")}`;
        const d = days.get(at);
        const pips = d ? [["logged", d.logs.length], ["remembered", d.remembered.length], ["corrected", d.corrected.length]].filter(([, n]) => n > 0) : [];
        return button([h("span", { class: at === today ? "today" : null }, i + 1), h("span", { class: "pips" }, pips.map(([x, n]) => h("span", { class: "pip-" + x }, n, h("i", { class: "sr" }, " " + t("days." + x) + " "))))],
          () => { chosen = at; history.replaceState(null, "", "#/days/" + at); paint(y, m, last); grid.querySelector('[aria-pressed="true"]').focus(); }, { "aria-pressed": String(at === chosen), class: d ? null : "none", "data-day": at });
      }));
    detail();
  }

  function detail() {
    const d = days.get(chosen);
    if (!chosen) {
      clear(list, dim(t(days.size > 0 ? "days.choose" : "days.none")));
      return;
    }
    const entry = (e) => h("li", null, h("span", { dir: "auto" }, e.text), h("p", { class: "cite" }, e.type && h("span", { class: "tag" }, word("type", e.type)), " ", h("a", { href: noteLink(e, e.startLine) }, h("bdi", null, `${e.path}#L${e.startLine}`))));
    const part = (key, all) => all.length > 0 && [h("h3", null, t("days." + key)), h("ul", { class: "day-list" }, all)];
    clear(list, h("h2", null, day(chosen)), !d && dim(t("days.nothing")),
      d && [part("logged", d.logs.map((p) => h("li", null, h("a", { href: noteLink(p) }, h("bdi", null, p))))), part("remembered", d.remembered.map(entry)), part("corrected", d.corrected.map(entry)),
        part("changes", d.changes.map((c) => h("li", null, h("span", { dir: "auto" }, c.why), h("p", { class: "cite" }, word("who", c.who) + " · " + time(c.time) + " · ", c.paths.map((p, i) => [i > 0 && ", ", h("a", { href: noteLink({ scope: c.scope, path: p }) }, h("bdi", null, p))]))))),
        d.left > 0 && dim(t("days.left", d.left))]);
    say(day(chosen));
  }

  const again = later(load, 600);
  return {
    el, title: t("nav.days"),
    start() { load().then(() => (grid.querySelector('[aria-pressed="true"]') ?? grid.querySelector("button"))?.focus({ preventScroll: true })); },
    keys(ev, typing) {
      if (typing || chord(ev)) return false;
      const at = [...grid.querySelectorAll("button")];
      const i = at.indexOf(document.activeElement);
      const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7, j: 1, k: -1 }[ev.key];
      if (by && i >= 0) { at[Math.max(0, Math.min(at.length - 1, i + by))].focus(); return true; }
      if (ev.key === "PageDown" || ev.key === "PageUp") { step(ev.key === "PageDown" ? 1 : -1); return true; }
      return false;
    },
    told: () => again(),
    gone: () => again.stop(),
  };
}
