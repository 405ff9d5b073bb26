// Lines that differ between two texts (Myers, An O(ND) Difference Algorithm, 1986).
import { dim, h } from "./dom.js";
import { t } from "./i18n.js";

const most = 1000; // edits that are looked for; beyond, all in between is new

// compare returns the lines of both texts as [mark, line]: " ", "-" or "+".
export function compare(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...a.slice(0, start).map((x) => [" ", x]),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((x) => [" ", x]),
  ];
}

function between(a, b) {
  const all = () => [...a.map((x) => ["-", x]), ...b.map((x) => ["+", x])];
  const limit = Math.min(a.length + b.length, most);
  let front = new Map([[1, 0]]);
  const trace = [];
  for (let d = 0; d <= limit; d++) {
    trace.push(new Map(front));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && front.get(k - 1) < front.get(k + 1)) ? front.get(k + 1) : front.get(k - 1) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) { x++; y++; }
      front.set(k, x);
      if (x >= a.length && y >= b.length) return back(trace, a, b);
    }
  }
  return all();
}

function back(trace, a, b) {
  const out = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const front = trace[d];
    const k = x - y;
    const from = k === -d || (k !== d && front.get(k - 1) < front.get(k + 1)) ? k + 1 : k - 1;
    const fx = d === 0 ? 0 : front.get(from);
    const fy = d === 0 ? 0 : fx - from;
    while (x > fx && y > fy) { out.push([" ", a[--x]]); y--; }
    if (d > 0) out.push(x === fx ? ["+", b[--y]] : ["-", a[--x]]);
  }
  return out.reverse();
}

const around = 3; // lines that are shown round a change

// diff shows two texts with what differs; unchanged lines far from it are left out.
export function diff(before, after) {
  const lines = compare(before, after);
  const near = new Set();
  lines.forEach(([mark], i) => {
    if (mark !== " ") for (let j = i - around; j <= i + around; j++) near.add(j);
  });
  const out = [];
  let left = 0;
  const flush = () => {
    if (left > 0) out.push(h("div", { class: "left" }, t("diff.left", left)));
    left = 0;
  };
  lines.forEach(([mark, line], i) => {
    if (!near.has(i)) { left++; return; }
    flush();
    const el = { "+": "ins", "-": "del", " ": "div" }[mark];
    out.push(h(el, { class: "line" }, h("span", { class: "mark", "aria-hidden": "true" }, mark), h("span", { dir: "auto" }, line || "\u00a0")));
  });
  flush();
  return h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": t("diff.label") }, near.size === 0 ? dim(t("diff.none")) : out);
}

// unified shows a diff that the server made.
export function unified(text) {
  return h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": t("diff.label") }, text.replace(/\n$/, "").split("\n").map((line) => {
    if (/^(---|\+\+\+) /.test(line)) return h("div", { class: "left" }, line);
    if (line.startsWith("@@")) return h("div", { class: "left" }, line);
    const mark = line[0] ?? " ";
    return h({ "+": "ins", "-": "del" }[mark] ?? "div", { class: "line" }, h("span", { class: "mark", "aria-hidden": "true" }, mark), h("span", { dir: "auto" }, line.slice(1) || "\u00a0"));
  }));
}
