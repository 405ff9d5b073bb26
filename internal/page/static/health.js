// Health: the index, the model, what is left out, secrets, and what could be better.
import { button, chord, clear, confirm, dim, failed, failure, h, later, named, say, sentence, toast } from "./dom.js";
import { get, post } from "./api.js";
import { changed, readOnly } from "./undo.js";
import { bytes, number, t, time, tongue, word } from "./i18n.js";
import { degradations, heading, loading, nameOf, noteLink, waiting } from "./parts.js";
import { list, prepend } from "./store.js";
import { unified } from "./diff.js";

export function view() {
  const state = h("section", { "aria-label": t("health.index") }, loading());
  const files = waiting("health.skipped");
  const hidden = waiting("health.secrets");
  const review = waiting("health.review");
  const el = h("div", { class: "sheet" }, heading(t("nav.health"), button(t("health.look"), () => all())), state, review, files, hidden);
  let timer = 0;

  async function status() {
    clearTimeout(timer);
    try {
      const x = await get("/v1/status");
      const texts = x.vectors + x.pendingVectors + x.failedVectors;
      const card = (value, name, more) => h("div", { class: "card" }, h("b", null, value), h("span", null, name), more);
      const model = (m) => (m.provider ? `${m.model} (${m.provider})` : t("health.noModel"));
      clear(state, degradations(x.degraded),
        h("div", { class: "cards" }, card(number(x.documents), t("health.notes")), card(number(x.chunks), t("health.passages")), card(bytes(x.bytes), t("health.size")),
          card(x.provider ? t("health.of", x.vectors, texts) : "–", t("health.vectors") + (x.filling ? " · " + t("health.filling") : ""), x.pendingVectors > 0 && h("progress", { max: texts, value: x.vectors, "aria-label": t("health.vectors") }))),
        h("dl", { class: "facts" }, h("dt", null, t("health.workspace")), h("dd", null, h("bdi", null, x.workspace)), h("dt", null, t("health.model")), h("dd", null, model(x), x.providerReason && h("span", { class: "dim", lang: tongue(x.providerReason) }, t("health.because", x.providerReason))),
          x.answering.provider && (x.answering.model !== x.model || x.answering.provider !== x.provider) && [h("dt", null, t("health.answering")), h("dd", null, model(x.answering))],
          x.rerank && [h("dt", null, t("health.rerank")), h("dd", null, model(x.rerank))], x.failedVectors > 0 && [h("dt", null, t("health.failed")), h("dd", null, number(x.failedVectors))],
          h("dt", null, t("health.watch")), h("dd", null, x.watched ? t("health.watched") : sentence("span", x.unwatchedReason)), x.lastWrite && [h("dt", null, t("health.written")), h("dd", null, time(x.lastWrite))],
          x.types && [h("dt", null, t("health.types")), h("dd", null, Object.entries(x.types).sort((a, b) => b[1] - a[1]).map(([k, n]) => `${word("type", k)} ${number(n)}`).join(", "))]));
      if (x.pendingVectors > 0) timer = setTimeout(() => el.isConnected && status(), 2000);
    } catch (err) {
      clear(state, failure(err, status));
    }
  }

  async function skipped() {
    try {
      const x = await post("/v1/sync");
      const rows = (items) => h("ul", { class: "day-list" }, items.map((f) => h("li", null, h("bdi", null, named(f.path)), sentence("p", f.reason, { class: "cite" }))));
      clear(files, h("h2", null, t("health.skipped")), x.skipped.length === 0 ? dim(t("health.noneSkipped")) : rows(x.skipped), x.warnings.length > 0 && [h("h3", null, t("health.warnings")), rows(x.warnings)]);
    } catch (err) {
      clear(files, h("h2", null, t("health.skipped")), failure(err, skipped));
    }
  }

  async function secrets() {
    try {
      const { findings } = await get("/v1/secrets");
      clear(hidden, h("h2", null, t("health.secrets")), findings.length === 0 ? dim(t("health.noSecrets")) : h("ul", { class: "day-list" }, findings.map((f) => h("li", null, h("code", { dir: "auto" }, f.preview),
        h("p", { class: "cite" }, h("span", { class: "tag warn" }, f.kind), " ", f.in ? t("health.in." + f.in) : h("a", { href: noteLink(f.path, f.line) }, h("bdi", null, `${f.path}#L${f.line}`)))))));
    } catch (err) {
      clear(hidden, h("h2", null, t("health.secrets")), failure(err, secrets));
    }
  }

  async function tidy() {
    try {
      const { findings } = await post("/v1/tidy", {});
      const dropped = new Set(list("dropped"));
      const open = findings.filter((f) => !dropped.has(f.id));
      const left = findings.length - open.length;
      clear(review, h("h2", null, t("health.review")), h("p", { class: "dim", role: "status" }, open.length > 0 ? t("health.open", open.length) : t("health.tidy"), left > 0 && " · " + t("health.dropped", left)), open.map(finding));
    } catch (err) {
      clear(review, h("h2", null, t("health.review")), failure(err, tidy));
    }
  }

  function finding(f) {
    const card = h("article", { class: "finding", tabindex: "-1", "aria-label": word("finding", f.kind) });
    const next = () => {
      const to = card.nextElementSibling ?? card.previousElementSibling;
      card.remove();
      to?.focus?.();
    };
    const accept = async () => {
      if (f.kind === "secret" && !(await confirm(t("health.mask"), h("p", { class: "warn" }, t("health.maskText")), t("health.mask"), "bad"))) return;
      try {
        const done = await post("/v1/tidy", { apply: true, ids: [f.id], mask: f.kind === "secret" });
        const why = done.skipped.find((x) => x.id === f.id);
        if (why) { toast(why.reason, null, "bad"); return; }
        next();
        changed(f.kind === "secret" ? "" : done.change, t("health.done"));
      } catch (err) {
        failed(err);
      }
    };
    const first = f.entries[0];
    card.append(
      h("div", { class: "head" }, h("b", null, word("finding", f.kind)), f.certain && h("span", { class: "tag" }, t("health.certain")), f.score > 0 && h("span", { class: "dim" }, number(f.score * 100) + " %")),
      sentence("p", f.proposal),
      ...f.entries.slice(0, 4).map((e) => h("blockquote", { dir: "auto" }, e.text || nameOf(e), h("p", { class: "cite" }, h("a", { href: noteLink(e, e.startLine) }, h("bdi", null, e.startLine ? `${nameOf(e)}#L${e.startLine}` : nameOf(e)))))),
      f.diff ? h("details", null, h("summary", null, t("diff.label")), unified(f.diff)) : "",
      readOnly ? "" : h("div", { class: "actions" }, (f.diff || f.kind === "secret") && button(t("health.accept"), accept, { class: "main" }), first && button(t("edit"), () => { location.hash = noteLink(first, first.startLine, true); }), button(t("health.drop"), () => { prepend("dropped", f.id, 1000); next(); say(t("health.droppedOne")); }, { class: "plain" })));
    return card;
  }

  function all() {
    status();
    tidy();
    skipped();
    secrets();
  }

  all();
  const soon = later(status, 300), again = later(() => { status(); tidy(); }, 1500);
  return {
    el, title: t("nav.health"),
    keys(ev, typing) {
      if (typing || chord(ev) || !["j", "k"].includes(ev.key)) return false;
      const cards = [...review.querySelectorAll(".finding")];
      const i = cards.indexOf(document.activeElement?.closest(".finding"));
      cards[Math.max(0, Math.min(cards.length - 1, i + (ev.key === "j" ? 1 : -1)))]?.focus();
      return true;
    },
    told: (ev) => (ev.type === "indexed" ? soon() : again()),
    gone() { clearTimeout(timer); soon.stop(); again.stop(); },
  };
}
