// Picture: memories over time by type, and notes near in meaning.
import { chord, clear, dim, failure, h, s, visible } from "./dom.js";
import { get } from "./api.js";
import { month, number, t, word } from "./i18n.js";
import { heading, noteLink, waiting } from "./parts.js";

const types = ["preference", "instruction", "contact", "project", "decision", "learning", "journal", "other"];
const kind = (type) => (types.includes(type) ? type : "other");

export function view() {
  const time = waiting("picture.time");
  const map = waiting("picture.map");
  const el = h("div", { class: "sheet" }, heading(t("nav.picture")), time, map);
  const load = () => get("/v1/picture").then((x) => {
    clear(time, h("h2", null, t("picture.time")), months(x.months));
    clear(map, h("h2", null, t("picture.map")), points(x.points, x.sample));
  }, (err) => { clear(time, failure(err, load)); clear(map); });
  load();
  return { el, title: t("nav.picture"), keys: (ev, typing) => !typing && around(ev) };
}

// wide is the width of a picture in its own units, so that letters can be read on a phone.
const wide = () => (document.documentElement.clientWidth < 700 ? 340 : 720);

const legend = (used) => h("ul", { class: "legend" }, types.filter((x) => used.has(x)).map((x) => h("li", null, h("i", { class: "t-" + x, "aria-hidden": "true" }), word("type", x))));

// whole returns the last months, most of them at most, without a gap among them.
export function whole(all, most) {
  const known = new Map(all.map((m) => [m.month, m]));
  const out = [];
  for (let [y, m] = all.at(-1).month.split("-").map(Number); out.length < most; m--) {
    if (m < 1) { y--; m = 12; }
    const name = String(y).padStart(4, "0") + "-" + String(m).padStart(2, "0");
    out.unshift(known.get(name) ?? { month: name, types: {} });
    if (name <= all[0].month) break;
  }
  return out;
}

// months is a bar for each month, the types one above the other.
function months(all) {
  if (all.length === 0) return dim(t("picture.noTime"));
  const last = whole(all, 36);
  const sum = (m) => Object.values(m.types).reduce((a, b) => a + b, 0);
  const busiest = Math.max(...last.map(sum));
  const most = busiest + (busiest % 2); // so that half of it is whole, too
  const width = wide(), height = 220, left = 14 + 6.5 * Math.max(number(most).length, 3), bottom = 24, top = 12;
  const step = (width - left - 8) / Math.max(last.length, width < 500 ? 5 : 8);
  const thick = Math.min(step * 0.84, 48);
  const used = new Set();
  const bars = last.map((m, i) => {
    let y = height - bottom;
    const middle = left + i * step + step / 2;
    const tip = month(m.month) + ": " + Object.entries(m.types).map(([k, n]) => word("type", kind(k)) + " " + number(n)).join(", ");
    const label = i % Math.ceil(last.length / (width < 500 ? 4 : 9)) === 0 && s("text", middle > width - 34 ? { x: width - 8, y: height - 7, "text-anchor": "end" } : { x: middle, y: height - 7, "text-anchor": "middle" }, month(m.month, "short"));
    return s("g", null, s("title", null, tip), types.map((type) => {
      const n = Object.entries(m.types).filter(([k]) => kind(k) === type).reduce((a, [, v]) => a + v, 0);
      if (n === 0) return null;
      used.add(type);
      const tall = (n / most) * (height - bottom - top);
      y -= tall;
      return s("rect", { class: "t-" + type, x: left + i * step + (step - thick) / 2, y, width: thick, height: Math.max(tall - 1, 0.5), stroke: "none", rx: 1.5 });
    }), label);
  });
  const lines = [0, 0.5, 1].map((f) => {
    const y = height - bottom - f * (height - bottom - top);
    return [s("path", { class: "axis", d: `M${left} ${y}H${width - 8}` }), s("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, number(most * f))];
  });
  return [s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("picture.time") }, lines, bars), legend(used),
    h("details", null, h("summary", null, t("picture.table")), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("table") }, h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, t("picture.month")), types.filter((x) => used.has(x)).map((x) => h("th", { scope: "col" }, word("type", x))))),
      h("tbody", null, last.map((m) => h("tr", null, h("th", { scope: "row" }, month(m.month)), types.filter((x) => used.has(x)).map((x) => h("td", null, number(Object.entries(m.types).filter(([k]) => kind(k) === x).reduce((a, [, v]) => a + v, 0))))))))))];
}

// points is a map of notes; each opens its note.
function points(all, sample) {
  if (all.length === 0) return dim(t("picture.noMap"));
  const width = wide(), height = width < 500 ? 400 : 460, edge = 28;
  const used = new Set();
  const under = h("p", { class: "under" });
  const at = (p) => [edge + ((p.x + 1) / 2) * (width - 2 * edge), edge + ((1 - p.y) / 2) * (height - 2 * edge)];
  const radius = all.length > 400 ? 4 : 6.5;
  const named = all.length <= 24 && width > 500;
  const dots = all.map((p, i) => {
    const [x, y] = at(p);
    used.add(kind(p.type));
    const name = p.path.split("/").at(-1).replace(/\.md$/i, "");
    const show = () => { under.replaceChildren(visible(p.path + (p.type ? " · " + word("type", p.type) : ""))); };
    return s("a", { href: noteLink(p.path), "aria-label": visible(p.path), tabindex: i === 0 ? "0" : "-1", onfocus: show, onmouseenter: show, "data-x": x, "data-y": y },
      s("circle", { class: "point t-" + kind(p.type), cx: x, cy: y, r: radius }), named && s("text", { x: x + (x > width - 130 ? -10 : 10), y: y + 4, "text-anchor": x > width - 130 ? "end" : "start", "aria-hidden": "true" }, name));
  });
  return [dim(t("picture.mapHint", sample)), s("svg", { class: "chart map", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("picture.map") }, dots), under, legend(used)];
}

// around moves from a point to the nearest one in a direction.
function around(ev) {
  const now = document.activeElement?.closest?.(".map a");
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[ev.key];
  if (!now || !way || chord(ev)) return false;
  const place = (el) => [Number(el.dataset.x), Number(el.dataset.y)];
  const [x, y] = place(now);
  let best = null, near = Infinity;
  for (const el of now.parentNode.querySelectorAll("a")) {
    const [dx, dy] = [place(el)[0] - x, place(el)[1] - y];
    const along = dx * way[0] + dy * way[1];
    const off = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (el !== now && along > 0.5 && along + 2 * off < near) { near = along + 2 * off; best = el; }
  }
  if (best) {
    now.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  }
  return true;
}
