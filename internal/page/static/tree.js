// All notes as a tree. Pages of the list come one after the other; what is there is
// shown meanwhile.
import { clear, failure, h, icon, later } from "./dom.js";
import { get } from "./api.js";
import { readOnly } from "./undo.js";
import { number, t } from "./i18n.js";
import { VirtualList } from "./list.js";

let paths = []; // ordered as the server has them
const locked = new Set(); // those that cannot be changed
let whole = false;
let loading = null;
let tell = () => {}; // the tree that is shown, when more has come
const shut = new Set(); // folders
const deepest = 8; // folders are set in

// load brings all pages.
async function load() {
  const fresh = [];
  let after = "";
  for (;;) {
    const page = await get("/v1/notes?limit=1000&collections=true" + (after && "&after=" + encodeURIComponent(after)));
    for (const n of page.notes) {
      fresh.push(n.path);
      if (n.readOnly) locked.add(n.path);
    }
    after = page.next ?? "";
    if (!whole) paths = fresh;
    if (after === "") break;
    tell();
  }
  paths = fresh;
  whole = true;
  tell();
}

// tree returns the tree; open is called with the path of a note.
export function tree(open) {
  let rows = [];
  let wanted = ""; // the note that is open
  const count = h("span", { class: "dim", role: "status" });
  const filter = h("input", { type: "search", dir: "auto", placeholder: t("notes.filter"), "aria-label": t("notes.filter"), spellcheck: "false", oninput: later(() => { list.el.scrollTop = 0; list.at = 0; lay(); }, 60),
    onkeydown: (ev) => { if (ev.key === "ArrowDown" || ev.key === "Enter") { ev.preventDefault(); list.el.focus(); } } });
  const list = new VirtualList({
    label: t("nav.notes"), role: "tree",
    facts: (i) => ({ "aria-level": rows[i].depth + 1, "aria-expanded": rows[i].folder ? String(!shut.has(rows[i].path)) : null, class: "row" + (rows[i].path === wanted ? " current" : ""), title: rows[i].path }),
    row: (i) => {
      const r = rows[i];
      const el = h("span", { class: "name" + (r.folder ? " folder" : "") }, r.folder ? icon(shut.has(r.path) ? "right" : "down") : null, h("bdi", null, r.name), !r.folder && locked.has(r.path) && [icon("lock"), h("span", { class: "sr" }, t("notes.readOnly"))]);
      el.style.paddingInlineStart = 8 + Math.min(r.depth, deepest) * 14 + (r.folder ? 0 : 18) + "px";
      return el;
    },
    open: (i) => (rows[i].folder ? toggle(i) : open(rows[i].path)),
    keys: (ev, i) => {
      const r = rows[i];
      if (!r) return false;
      if (ev.key === "ArrowRight" && r.folder && shut.has(r.path)) toggle(i);
      else if (ev.key === "ArrowLeft" && r.folder && !shut.has(r.path)) toggle(i);
      else if (ev.key === "ArrowLeft") list.select(rows.findLastIndex((x, j) => j < i && x.folder && x.depth < r.depth));
      else return false;
      return true;
    },
  });
  const trouble = h("div");
  const el = h("div", { class: "pane tree" }, h("div", { class: "pane-head" }, h("div", { class: "line" }, filter, !readOnly && h("a", { class: "button", href: "#/notes?new=1", "aria-label": t("new.title"), title: t("new.title") + " (n)" }, icon("plus"))), count), trouble, list.el);

  function toggle(i) {
    const path = rows[i].path;
    if (!shut.delete(path)) shut.add(path);
    list.at = i;
    lay();
  }

  // lay puts the rows together that are to be seen.
  function lay() {
    const asked = filter.value.trim().toLowerCase();
    rows = [];
    if (asked !== "") {
      for (const path of paths) if (path.toLowerCase().includes(asked)) rows.push({ path, name: path, depth: 0 });
    } else {
      let open = []; // folders above
      for (const path of paths) {
        const parts = path.split("/");
        const dirs = parts.slice(0, -1);
        let same = 0;
        while (same < open.length && same < dirs.length && open[same] === dirs[same]) same++;
        let hidden = false;
        for (let d = 0; d < dirs.length; d++) {
          const folder = dirs.slice(0, d + 1).join("/");
          if (d >= same && !hidden) rows.push({ path: folder, name: dirs[d], depth: d, folder: true });
          hidden ||= shut.has(folder);
        }
        if (!hidden) rows.push({ path, name: parts.at(-1), depth: dirs.length });
        open = dirs;
      }
    }
    count.textContent = t("notes.count", paths.length) + (whole ? "" : " …");
    list.set(rows.length);
  }

  let drawn = 0; // to lay out what came each time would take longer than to bring it
  tell = () => {
    if (!whole && performance.now() - drawn < 400) return;
    lay();
    drawn = performance.now();
  };

  async function refresh() {
    try {
      await (loading ??= load());
      clear(trouble);
    } catch (err) {
      clear(trouble, failure(err, refresh));
    } finally {
      loading = null;
    }
  }

  lay();
  if (!whole) refresh();
  return {
    el, refresh,
    focus: () => list.el.focus(),
    filter: () => filter.focus(),
    current(path) {
      wanted = path;
      const i = rows.findIndex((r) => r.path === path);
      if (i >= 0) list.select(i);
      else { list.drawn = ""; list.paint(); }
    },
  };
}
