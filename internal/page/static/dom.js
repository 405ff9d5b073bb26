// Elements are made of parts here and nowhere else: a text is always a text.
import { t, tongue } from "./i18n.js";

// What cannot be seen is spelled out, and so are marks that turn the direction of what
// follows: with them a text can look like another. In a name line ends are, too.
const spelled = (c) => "⟦U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟧";
const hidden = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;
export const visible = (text) => String(text).replace(hidden, spelled);
export const named = (path) => visible(path).replace(/[\t\n\r]/g, spelled);

// h makes an element. Names that begin with "on" are listeners; true sets an attribute
// without a value, false, null and undefined leave it out.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

const svgSpace = "http://www.w3.org/2000/svg";
export const s = (tag, attributes, ...children) => fill(document.createElementNS(svgSpace, tag), attributes, children);

function fill(el, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "value") el.value = value;
    else el.setAttribute(name, value === true ? "" : value);
  }
  append(el, children);
  return el;
}

export function append(el, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : visible(child));
  }
  return el;
}

export const clear = (el, ...children) => {
  el.replaceChildren();
  return append(el, children);
};

// Icons are lines of 24 by 24.
const paths = {
  star: "m12 4 2.4 5.2 5.6.7-4.1 3.9 1.1 5.7-5-2.8-5 2.8 1.1-5.7L4 9.9l5.6-.7z",
  close: "m6 6 12 12M18 6 6 18",
  search: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5",
  down: "m6 9.5 6 6 6-6", right: "m9.5 6 6 6-6 6", left: "m14.5 6-6 6 6 6",
  plus: "M12 5v14M5 12h14",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  lock: "M8 11V8a4 4 0 0 1 8 0v3M5.5 11h13v8.5h-13z",
  edit: "m5 19 1-4L16.5 4.5l3 3L9 18z",
};
export const icon = (name) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, s("path", { d: paths[name] }));

// button does one thing at a time.
export function button(label, onclick, attributes) {
  let busy = false;
  const once = async (ev) => {
    if (busy) return;
    busy = true;
    try {
      await onclick(ev);
    } finally {
      busy = false;
    }
  };
  return h("button", { type: "button", onclick: once, ...attributes }, label);
}

// say tells it to those who listen instead of look.
export function say(text) {
  document.getElementById("say").textContent = visible(text);
}

export const dim = (...text) => h("p", { class: "dim" }, ...text);
export const chord = (ev) => ev.ctrlKey || ev.metaKey || ev.altKey;
export const failed = (err) => toast(err.message, null, "bad");

// toast shows a message for a while, with something to do about it.
export function toast(text, action, kind) {
  const box = document.getElementById("toasts");
  const close = () => el.remove();
  const el = h("div", { class: "toast " + (kind ?? "") },
    h("p", { dir: "auto" }, text),
    action && button([action.label, action.key && h("kbd", null, action.key)], () => { close(); action.run(); }, { class: "plain" }),
    button(icon("close"), close, { class: "plain", "aria-label": t("close") }));
  box.append(el);
  while (box.children.length > 3) box.firstChild.remove();
  say(text);
  if (!action && kind !== "bad") setTimeout(close, 6000);
  return close;
}

// ask opens a dialog. make is called with what closes it and returns its contents; the
// promise has the value that it was closed with, undefined after Esc.
export function ask(title, make, kind) {
  return new Promise((resolve) => {
    let value;
    const before = document.activeElement;
    const done = (v) => { value = v; dialog.close(); };
    const dialog = h("dialog", { class: kind, "aria-labelledby": "dialog-title", onclose: () => { dialog.remove(); before?.isConnected && before.focus(); resolve(value); } },
      h("h2", { id: "dialog-title" }, title), make(done));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export const confirm = (title, body, yes, kind) => ask(title, (done) => [
  body,
  h("div", { class: "actions" }, button(t("cancel"), () => done(false)), button(yes, () => done(true), { class: kind ?? "main" })),
]);

// sentence shows what the server says.
export const sentence = (tag, text, props) => h(tag, { ...props, dir: "auto", lang: tongue(text) }, text);

// step is what to do next: a command, or a sentence. What names the API is for programs.
export const step = (action) => action && !action.includes("/v1/") && dim(t("try"), " ", /^memoir /.test(action) ? h("code", { dir: "auto" }, action) : sentence("span", action));

// final are the codes of refusals that stay the same until a person changes something.
const final = new Set(["unreadable", "invalid", "permission", "read-only"]);

// failure shows what went wrong and what to do, and asks again where that can help.
export const failure = (err, again) => h("div", { class: "notice bad", role: "alert" },
  sentence("p", err.message), step(err.action), again && !final.has(err.code) && button(t("again"), again));

// What a note may have of HTML. The server sends nothing else; this holds all the same.
const elements = new Set("P H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE STRONG EM DEL TABLE THEAD TBODY TR TH TD CODE PRE BR HR A SPAN".split(" "));
const blocks = new Set("P H2 H3 H4 H5 H6 LI BLOCKQUOTE TH TD PRE".split(" "));
const policy = globalThis.trustedTypes?.createPolicy("memoir", { createHTML: (html) => html });

// safe makes elements of a note's HTML.
export function safe(html) {
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
  const out = document.createDocumentFragment();
  copy(parsed.body, out);
  return out;
}

function copy(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      to.append(visible(node.data));
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    if (!elements.has(node.tagName)) {
      to.append(visible(node.outerHTML));
      continue;
    }
    const el = document.createElement(node.tagName);
    if (blocks.has(node.tagName)) el.dir = "auto";
    const line = node.getAttribute("data-line");
    if (/^\d+$/.test(line ?? "")) el.dataset.line = line;
    if (["raw", "image"].includes(node.className)) el.className = node.className;
    const href = node.getAttribute("href") ?? "";
    if (node.tagName === "A" && /^(https?:\/\/|mailto:|#\/notes\/)/i.test(href)) {
      el.setAttribute("href", href);
      if (!href.startsWith("#")) {
        el.rel = "noopener noreferrer nofollow";
        el.target = "_blank";
      }
    }
    if (node.tagName === "OL" && /^\d{1,9}$/.test(node.getAttribute("start") ?? "")) el.start = Number(node.getAttribute("start"));
    copy(node, el);
    if (node.tagName === "TABLE") {
      const wide = h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("table") }, el);
      to.append(wide);
      continue;
    }
    if (node.tagName === "PRE") el.tabIndex = 0;
    to.append(el);
  }
}

// marked returns a text from a code point on with ranges of code points marked.
export function marked(text, ranges, at = 0) {
  const points = Array.from(text);
  const out = [];
  for (const r of ranges ?? []) {
    const from = Math.max(r.start, at);
    const to = Math.min(r.end, points.length);
    if (from >= to) continue;
    if (from > at) out.push(closed(points.slice(at, from).join("")));
    out.push(h("mark", null, points.slice(from, to).join("")));
    at = to;
  }
  if (at < points.length) out.push(closed(points.slice(at).join("")));
  return out;
}

// closed is a text without its empty lines.
const closed = (text) => text.replace(/\n\s*\n/g, "\n");

// later calls f when nobody has asked for it for so many milliseconds.
export function later(f, ms) {
  let timer = 0;
  const run = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(f, ms, ...args);
  };
  run.stop = () => clearTimeout(timer);
  return run;
}
