// Entries: what is remembered, one by one, and what can be done about each.
import { ask, button, chord, clear, confirm, dim, failed, failure, h, icon, later, say, sentence, step, toast } from "./dom.js";
import { get, post } from "./api.js";
import { changed, readOnly } from "./undo.js";
import { day, t, word } from "./i18n.js";
import { loading, nameOf, noteLink } from "./parts.js";
import { VirtualList } from "./list.js";

const types = ["preference", "instruction", "contact", "project", "decision", "learning", "journal"];
const wanted = { type: "", status: "active", text: "" };

// refOf names an entry to the server. Where it has no id the check says that these words are meant.
const refOf = (e) => e.id || `${nameOf(e)}#L${e.startLine}` + (e.endLine > e.startLine ? `-L${e.endLine}` : "") + (e.check ? `~${e.check}` : "");

export function view(route) {
  let all = [];
  let shown = [];
  let current = null;
  let turn = 0;
  const detail = h("section", { class: "pane reading", "aria-label": t("entries.detail") });
  const count = h("span", { class: "dim", role: "status" });
  const trouble = h("div");
  const list = new VirtualList({
    label: t("nav.entries"), height: 56,
    row: (i) => {
      const e = shown[i];
      return [h("span", { class: "name", dir: "auto" }, e.text.replace(/\s+/g, " ").slice(0, 300)),
        h("span", { class: "meta" }, e.type && h("span", { class: "tag type-" + e.type }, word("type", e.type)), e.status === "superseded" && h("span", { class: "tag warn" }, t("status.superseded")), e.observed ? day(e.observed) : h("bdi", null, e.path), e.count > 0 && " · " + t("entries.told", e.count + 1))];
    },
    facts: (i) => ({ class: "row two" + (shown[i] === current ? " current" : "") }),
    open: (i) => pick(shown[i]),
  });
  const filter = h("input", { type: "search", dir: "auto", placeholder: t("entries.filter"), "aria-label": t("entries.filter"), value: wanted.text, oninput: later(() => { wanted.text = filter.value; lay(); }, 80) });
  const choose = (key, options, label) => {
    const el = h("select", { "aria-label": label, onchange: () => { wanted[key] = el.value; key === "status" ? load() : lay(); } }, options.map(([v, text]) => h("option", { value: v, selected: wanted[key] === v }, text)));
    return el;
  };
  const split = h("div", { class: "split" }, h("h1", { class: "sr" }, t("nav.entries")),
    h("div", { class: "pane tree" }, h("div", { class: "pane-head" }, h("div", { class: "line" }, filter, !readOnly && button(icon("plus"), () => tell(), { "aria-label": t("entries.tell"), title: t("entries.tell") + " (n)" })),
      h("div", { class: "selects" },
        choose("type", [["", t("entries.allTypes")], ...types.map((x) => [x, word("type", x)])], t("filter.type")),
        choose("status", ["active", "superseded", "all"].map((x) => [x, t("status." + x)]), t("filter.status"))), count), trouble, list.el),
    detail);

  async function load() {
    const mine = ++turn;
    try {
      const found = await get("/v1/entries?status=" + wanted.status);
      if (mine !== turn) return;
      all = found;
      clear(trouble);
      lay();
      const id = route.params.get("id");
      if (current === null && id) pick(all.find((e) => refOf(e) === id) ?? null);
      else if (current !== null) pick(all.find((e) => refOf(e) === refOf(current)) ?? null);
    } catch (err) {
      if (mine === turn) clear(trouble, failure(err, load));
    }
  }

  function lay() {
    const text = wanted.text.trim().toLowerCase();
    shown = all.filter((e) => (wanted.type === "" || e.type === wanted.type) && (text === "" || e.text.toLowerCase().includes(text)));
    count.textContent = t("entries.count", shown.length);
    list.set(shown.length);
  }

  function pick(e) {
    current = e;
    split.classList.toggle("has-detail", e !== null);
    list.drawn = "";
    list.paint();
    if (e === null) {
      clear(detail, h("div", { class: "empty" }, h("p", null, t("entries.choose")), dim(t("entries.hint"))));
      return;
    }
    const fact = (name, value) => value && [h("dt", null, t(name)), h("dd", null, value)];
    clear(detail,
      h("p", { class: "crumb" }, button(t("nav.entries"), () => { pick(null); list.el.focus(); }, { class: "back plain" }), h("a", { href: noteLink(e, e.startLine) }, h("bdi", null, `${nameOf(e)}#L${e.startLine}`))),
      h("div", { class: "title" }, h("h2", { class: "entry", dir: "auto" }, e.text)),
      !readOnly && h("div", { class: "actions start" },
        e.status === "active" && button([t("entries.correct"), h("kbd", null, "e")], () => tell(e), { class: "main", id: "correct" }),
        e.status === "active" && e.path !== "MEMORY.md" && button(t("pin"), () => pin(e)),
        button(t("forget"), () => forget(e), { class: "plain bad" })),
      h("dl", { class: "facts" }, fact("filter.type", e.type && word("type", e.type)), fact("filter.status", t("status." + e.status)), fact("entries.scope", e.scope && word("scope", e.scope)), fact("entries.origin", e.origin && word("origin", e.origin)), fact("entries.observed", e.observed && day(e.observed)),
        fact("entries.importance", e.importance && String(e.importance)), fact("entries.counted", e.count > 0 && t("entries.told", e.count + 1) + (e.last ? ", " + day(e.last) : "")), fact("entries.until", e.until && day(e.until)), fact("entries.session", e.session && h("bdi", null, e.session)),
        fact("entries.replaces", e.replaces && other(e.replaces)), fact("entries.by", e.supersededBy && other(e.supersededBy)), e.private && fact("entries.private", t("yes")), fact("entries.id", e.id && h("code", null, e.id))));
  }

  const other = (id) => button(id, async () => {
    if (!all.some((e) => e.id === id)) {
      wanted.status = "all";
      await load();
    }
    pick(all.find((e) => e.id === id) ?? current);
  }, { class: "plain" });

  // told finds the change that was made just now, so that it can be taken back.
  async function done(path, text) {
    const last = (await get("/v1/history?limit=1"))[0];
    changed(last?.paths.includes(path) ? last.id : "", text);
    await load();
  }

  // tell puts what a person writes in the place of an entry, or beside all where there is none.
  async function tell(e) {
    const area = h("textarea", { dir: "auto", rows: "6", "aria-label": t(e ? "entries.newText" : "entries.fact") });
    area.value = e?.text ?? "";
    const type = !e && h("select", { "aria-label": t("filter.type") }, ["", ...types].map((x) => h("option", { value: x }, x ? word("type", x) : t("entries.byText"))));
    const trouble = h("div");
    await ask(t(e ? "entries.correct" : "entries.tell"), (close) => {
      const send = async () => {
        if (area.value.trim() === (e?.text ?? "").trim()) {
          close();
          return;
        }
        try {
          const out = await post("/v1/remember", { text: area.value, type: (e ? e.type : type.value) || undefined, replaces: e && refOf(e) });
          if (out.outcome === "refused") {
            clear(trouble, h("div", { class: "notice warn", role: "alert" }, sentence("p", out.reason.text), step(out.reason.action)));
            return;
          }
          close();
          current = { ...e, scope: out.scope, id: out.id, path: out.path, startLine: out.startLine, endLine: out.endLine };
          await done(out.path, e ? t("entries.corrected") : out.reason.text + (out.known ? ": " + out.known : ""));
        } catch (err) {
          clear(trouble, failure(err));
        }
      };
      const yes = button([t("save"), h("kbd", null, "Ctrl ↵")], send, { class: "main" });
      area.addEventListener("keydown", (ev) => { if ((ev.ctrlKey || ev.metaKey) && ev.key === "Enter") yes.click(); });
      return [dim(t(e ? "entries.correctHint" : "entries.tellHint")), area, type && h("p", null, type), trouble, h("div", { class: "actions" }, button(t("cancel"), () => close()), yes)];
    }, "wide-dialog");
  }

  async function pin(e) {
    try {
      const out = await post("/v1/remember", { text: e.text, pin: true });
      if (out.outcome === "refused" || out.outcome === "reinforced") toast([out.reason.text, out.reason.action && t("try") + " " + out.reason.action].filter(Boolean).join(" · "));
      else await done(out.path, t("pin.done"));
    } catch (err) {
      failed(err);
    }
  }

  async function forget(e) {
    try {
      const what = await post("/v1/forget", { ref: refOf(e), dryRun: true });
      const sure = await confirm(t("forget.title"), [h("ul", { class: "quotes" }, [...what.entries, ...(what.inHistory ?? [])].map((x) => h("li", { dir: "auto" }, x.text))), h("p", { class: "warn" }, t("forget.good"))], t("forget"), "bad");
      if (!sure) return;
      await post("/v1/forget", { ref: refOf(e) });
      toast(t("forget.done"), null, "good");
      say(t("forget.done"));
      pick(null);
      await load();
    } catch (err) {
      failed(err);
    }
  }

  pick(null);
  clear(trouble, loading());
  const again = later(load, 500);
  return {
    el: split, title: t("nav.entries"),
    start() { load().then(() => list.el.focus()); },
    keys(ev, typing) {
      if (typing || chord(ev)) return false;
      if (["j", "k"].includes(ev.key)) list.el.focus();
      else if (ev.key === "e" && current?.status === "active" && !readOnly) tell(current);
      else if (ev.key === "n" && !readOnly) tell();
      else if (ev.key === "Escape" && current) { pick(null); list.el.focus(); }
      else return false;
      return true;
    },
    told: () => again(),
    gone() { again.stop(); },
  };
}
