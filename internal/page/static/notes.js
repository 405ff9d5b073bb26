// Notes: the tree, and one of them to read or to edit.
import { button, chord, clear, confirm, dim, failed, failure, h, later, safe, say, toast } from "./dom.js";
import { api, encoded, get, post } from "./api.js";
import { compare, diff } from "./diff.js";
import { changed, readOnly } from "./undo.js";
import { heading, loading, noteLink } from "./parts.js";
import { keep, kept } from "./store.js";
import { t } from "./i18n.js";
import { tree } from "./tree.js";

export function view(route) {
  const pane = h("section", { class: "pane reading", "aria-label": t("notes.reading") });
  const side = tree((path) => { location.hash = noteLink(path); });
  const fresh = route.rest === "" && route.params.has("new") && !readOnly;
  const note = route.rest === "" && !fresh ? null : open(pane, route.rest, Number(route.params.get("line")) || 0, route.params.has("edit"));
  if (note === null) clear(pane, h("div", { class: "empty" }, h("p", null, t("notes.choose")), dim(t("notes.hint"))));
  const refresh = later(() => side.refresh(), 800);
  return {
    el: h("div", { class: "split" + (note === null ? "" : " has-detail") }, note === null && h("h1", { class: "sr" }, t("nav.notes")), side.el, pane),
    title: route.rest || t(fresh ? "new.title" : "nav.notes"),
    start() {
      side.current(route.rest);
      if (note === null) side.focus();
      else note.start();
    },
    keys(ev, typing) {
      if (note?.keys(ev, typing)) return true;
      if (typing || chord(ev)) return false;
      if (ev.key === "Escape" && note !== null) { history.length > 1 ? history.back() : (location.hash = "#/notes"); return true; }
      if (["j", "k"].includes(ev.key)) { side.focus(); return true; }
      return false;
    },
    told(ev) {
      if (ev.type === "indexed" || ev.type === "reset") refresh();
      note?.told(ev);
    },
    keeps: () => note?.keeps(),
    gone() { refresh.stop(); note?.gone(); },
  };
}

// open shows a note in a pane; "" is one that is written now.
function open(pane, path, line, editing) {
  const fresh = path === "";
  const draftKey = "draft:" + path;
  let page = null;
  let turn = 0, shown = 0; // times that it was asked for, and the last answered
  let edit = null; // while it is edited: {base, etag, text}
  let slot = draftKey, last = "null"; // where its draft is kept, and what was put there last
  let reviewing = false;
  let saving = false;
  let passages = false;
  let gone = false;

  async function load(then) {
    const mine = ++turn;
    let found;
    try {
      found = await get("/v1/pages/" + encoded(path));
    } catch (err) {
      if (mine > shown) clear(pane, heading(path), failure(err, () => load(then)));
      return;
    }
    if (gone || mine < shown) return;
    shown = mine;
    page = found;
    then();
  }

  function read() {
    edit = null;
    reviewing = false;
    const body = h("div", { class: "prose" });
    body.append(safe(page.html));
    const first = body.firstElementChild; // the heading that the page shows as its own
    if (first?.tagName === "H2" && first.textContent.trim() === page.title.trim()) first.classList.add("sr");
    const mark = () => {
      for (const el of body.querySelectorAll("[data-cut]")) delete el.dataset.cut;
      if (passages) borders(body, page.passages);
      toggle.setAttribute("aria-pressed", String(passages));
    };
    const toggle = button(t("notes.passages", page.passages.length), () => { passages = !passages; mark(); }, { class: "plain", "aria-pressed": "false" });
    clear(pane,
      h("p", { class: "crumb" }, h("a", { class: "back", href: "#/notes" }, t("nav.notes")), " ", h("bdi", null, path)),
      heading(page.title || path.split("/").at(-1).replace(/\.md$/i, ""), toggle,
        page.etag === "" && h("span", { class: "tag" }, t("notes.readOnly")),
        !fixed() && button([t("edit"), h("kbd", null, "e")], () => start(), { class: "main", id: "edit" }),
        !fixed() && button(t("forget"), forget, { class: "plain bad" })),
      others(),
      page.front && h("details", { class: "front" }, h("summary", null, t("notes.front")), h("pre", { tabindex: "0" }, page.front)),
      page.html === "" ? dim(t("notes.blank")) : body,
      links("notes.links", page.links), links("notes.from", page.linkedFrom));
    mark();
    if (line > 0) jump(body);
  }

  const crumb = () => h("p", { class: "crumb" }, h("bdi", null, path));

  // fixed is whether the note cannot be changed, as those of collections.
  const fixed = () => readOnly || page?.etag === "";

  const links = (title, all) => all.length > 0 && h("section", { class: "links" }, h("h2", null, t(title)), h("ul", { class: "plain-list" }, all.map((p) => h("li", null, h("a", { href: noteLink(p) }, h("bdi", null, p))))));

  // jump goes to the block that holds the line.
  function jump(body) {
    const before = [...body.querySelectorAll("[data-line]")].filter((el) => Number(el.dataset.line) <= line);
    const el = before.at(-1);
    if (!el) return;
    el.classList.add("here");
    el.scrollIntoView({ block: "center" });
  }

  // Tabs that edit one note have a draft each.
  const drafts = () => Array.from({ length: 99 }, (_, i) => draftKey + "\n".repeat(i)).filter((key) => kept(key, null));
  const at = (key) => JSON.stringify(kept(key, null));

  // others shows the drafts that are not being edited here.
  const others = () => drafts().filter((key) => edit === null || key !== slot).map((key) => {
    const el = h("div", { class: "notice warn" }, h("p", null, t("draft.there")),
      button(t("draft.go"), () => { if (edit !== null) keepDraft(); fresh ? compose(key) : start(key); }), " ", button(t("draft.drop"), () => { keep(key, null); el.remove(); }, { class: "plain" }));
    return el;
  });

  // draftOf begins with a draft.
  function draftOf(key) {
    slot = key ?? drafts()[0] ?? draftKey;
    last = at(slot);
    return kept(slot, null);
  }

  // keepDraft leaves alone what another tab has put in the place of the draft.
  function keepDraft(now = edit.text === edit.base ? null : edit) {
    while (![last, "null"].includes(at(slot))) slot += "\n";
    keep(slot, now);
    last = JSON.stringify(now);
  }

  async function start(key) {
    if (fixed()) {
      if (edit === null && page) read();
      return;
    }
    let now;
    try {
      now = await get("/v1/notes/" + encoded(path));
    } catch (err) {
      failed(err);
      return;
    }
    const draft = draftOf(key);
    edit = { base: draft?.base ?? now.text, etag: draft?.etag ?? now.etag, text: draft?.text ?? now.text };
    write();
  }

  // compose begins a note.
  function compose(key) {
    const draft = draftOf(key);
    edit = { base: "", etag: "", text: draft?.text ?? "", path: draft?.path ?? "" };
    write();
  }

  // write shows the text to be changed.
  function write() {
    reviewing = false;
    const area = h("textarea", { dir: "auto", spellcheck: "true", "aria-label": t("edit.label", path), oninput: () => { edit.text = ends(edit.base, area.value); save(); } });
    const save = later(() => edit && keepDraft(), 300);
    area.value = edit.text;
    const name = fresh && h("input", { type: "text", id: "path", dir: "auto", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": t("new.path"), placeholder: t("new.path"), value: edit.path,
      oninput: () => { edit.path = name.value; save(); }, onkeydown: (ev) => { if (ev.key === "Enter" && !ev.ctrlKey && !ev.metaKey && !ev.isComposing) { ev.preventDefault(); area.focus(); } } });
    clear(pane, fresh ? h("p", { class: "crumb" }, h("a", { class: "back", href: "#/notes" }, t("nav.notes")), name) : crumb(),
      heading(t(fresh ? "new.title" : "edit.title"), button(t("cancel"), leave, { class: "plain" }), button([t("edit.review"), h("kbd", null, "Ctrl ↵")], review, { class: "main" })),
      others(), area);
    (name || area).focus({ preventScroll: true });
    area.setSelectionRange(0, 0);
    if (line > 1) {
      const at = edit.text.split("\n").slice(0, line - 1).join("\n").length + 1;
      area.setSelectionRange(at, at);
      area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
    }
  }

  function leave() {
    keepDraft();
    if (fresh) location.hash = "#/notes";
    else load(read);
  }

  // review shows what would change, before it does.
  function review() {
    if (fresh && (path = named(edit.path)) === "") {
      toast(t("new.name"));
      pane.querySelector("#path").focus();
      return;
    }
    reviewing = true;
    const yes = button([t("save"), h("kbd", null, "↵")], put, { class: "main" });
    clear(pane, crumb(),
      heading(t("edit.reviewTitle"), button(t("edit.back"), () => saving || write(), { class: "plain" }), yes),
      diff(edit.base, edit.text));
    yes.disabled = edit.base === edit.text;
    (yes.disabled ? pane.querySelector("button") : yes).focus();
  }

  async function put() {
    if (saving) return;
    saving = true;
    const headers = edit.etag ? { "If-Match": edit.etag } : { "If-None-Match": "*" };
    try {
      const saved = await api("PUT", "/v1/notes/" + encoded(path), { text: edit.text }, { headers });
      keepDraft(null);
      edit = null;
      changed(saved.change?.id ?? "", t("edit.saved"));
      if (fresh) {
        location.hash = noteLink(path);
        return;
      }
      await load(read);
      pane.querySelector("#edit")?.focus();
    } catch (err) {
      if (!fresh && (err.status === 412 || err.status === 404)) stale();
      else clear(pane.querySelector(".trouble") ?? pane.appendChild(h("div", { class: "trouble" })), failure(err));
    } finally {
      saving = false;
    }
  }

  // stale shows what others did to the note meanwhile. The person's own text stays.
  async function stale() {
    keepDraft();
    let now = { text: "", etag: "" };
    try {
      now = await get("/v1/notes/" + encoded(path));
    } catch (err) {
      if (err.status !== 404) {
        failed(err);
        return;
      }
    }
    const theirs = diff(edit.base, now.text);
    edit.base = now.text;
    edit.etag = now.etag;
    keepDraft();
    const over = button(t("stale.over"), put, { class: "main" });
    clear(pane, crumb(), heading(t("stale.title")),
      h("div", { class: "notice warn", role: "alert" }, h("p", null, t(now.etag ? "stale.text" : "stale.gone"))),
      h("div", { class: "actions" }, button(t("stale.edit"), write), over,
        button(t("stale.drop"), async () => { if (await confirm(t("stale.drop"), h("p", null, t("stale.dropText")), t("stale.drop"), "bad")) { keepDraft(null); edit = null; load(read); } }, { class: "plain bad" })),
      h("h2", null, t("stale.theirs")), theirs, h("h2", null, t("stale.mine")), diff(edit.base, edit.text));
    say(t("stale.title"));
    pane.querySelector(".actions button").focus();
  }

  async function forget() {
    try {
      const what = await post("/v1/forget", { ref: path, dryRun: true });
      const sure = await confirm(t("forget.title"), [h("p", null, t("forget.note", path, what.entries.length)), h("p", { class: "warn" }, t("forget.good"))], t("forget"), "bad");
      if (!sure) return;
      await post("/v1/forget", { ref: path });
      for (const key of drafts()) keep(key, null);
      toast(t("forget.done"), null, "good");
      location.hash = "#/notes";
    } catch (err) {
      failed(err);
    }
  }

  clear(pane, loading());
  const loaded = fresh ? Promise.resolve().then(compose) : load(() => (editing ? start() : read()));
  return {
    start: () => !fresh && loaded.then(() => edit === null && pane.querySelector("h1")?.closest("section").scrollTo?.(0, pane.scrollTop)),
    keys(ev, typing) {
      if (edit !== null && (ev.ctrlKey || ev.metaKey) && (ev.key === "Enter" || ev.key === "s")) {
        if (reviewing) put();
        else review();
        return true;
      }
      if (edit !== null && ev.key === "Escape") {
        if (reviewing) saving || write();
        else leave();
        return true;
      }
      if (typing || edit !== null || chord(ev)) return false;
      if (ev.key === "e" && page && !fixed()) { start(); return true; }
      return false;
    },
    told(ev) {
      const mine = ev.type === "reset" || ev.type === "undone" || [...(ev.paths ?? []), ...(ev.indexed ?? []), ...(ev.removed ?? [])].includes(path) || ev.count > 0;
      if (!mine) return;
      if (edit === null) load(() => { const top = pane.scrollTop; line = 0; if (edit === null) read(); pane.scrollTop = top; });
      else if (ev.type === "written") say(t("stale.soon"));
    },
    // keeps has the browser keep what was typed up to now.
    keeps() {
      if (edit !== null) keepDraft();
    },
    gone() {
      gone = true;
      this.keeps();
    },
  };
}

// named is the path that a person means who types it: of a note, below the workspace. It
// is "" when that leads up: the browser would ask for another address.
export function named(text) {
  const parts = text.trim().replace(/\\/g, "/").split("/").filter((x, i, all) => x !== "." && (x !== "" || (i > 0 && i === all.length - 1)));
  if (parts.some((x) => x.split(":").at(-1) === "..")) return "";
  const path = parts.join("/");
  return path === "" || path.endsWith("/") || /\.md$/i.test(path) ? path : path + ".md";
}

// borders marks the blocks with which passages begin.
function borders(body, passages) {
  const all = [...body.querySelectorAll(":scope > [data-line], :scope > ul > [data-line], :scope > ol > [data-line], :scope > .wide > [data-line]")].filter((x) => !x.classList.contains("sr"));
  for (const p of passages) {
    const el = all.find((x) => Number(x.dataset.line) >= p.startLine && Number(x.dataset.line) <= p.endLine && !x.dataset.cut);
    if (el) el.dataset.cut = t("notes.lines", p.startLine, p.endLine);
  }
}

// ends gives the lines of a text from a text field the line ends that they had: a
// field knows but one kind.
export function ends(before, after) {
  if (!before.includes("\r")) return after;
  const had = before.match(/\r\n|\r|\n/g) ?? [];
  const common = had.filter((x) => x === "\r\n").length * 2 >= had.length ? "\r\n" : "\n";
  const out = [];
  let i = 0;
  for (const [mark, line] of compare(before.replace(/\r\n?/g, "\n"), after)) {
    if (mark !== "+") i++;
    if (mark !== "-") out.push(line, mark === " " ? had[i - 1] ?? common : common);
  }
  out.pop(); // the last line has no end
  return out.join("");
}
