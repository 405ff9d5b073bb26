// Agents: what each was given and what it wrote; sessions and what was said in them.
import { button, clear, dim, failure, h, later } from "./dom.js";
import { encoded, get } from "./api.js";
import { day, t, time, word } from "./i18n.js";
import { heading, loading, noteLink, waiting } from "./parts.js";

export function view(route) {
  return route.rest === "" ? overview() : session(route.rest);
}

function overview() {
  const start = waiting("agents.start");
  const given = waiting("agents.given");
  const wrote = waiting("agents.wrote");
  const said = waiting("agents.sessions");
  const el = h("div", { class: "sheet" }, heading(t("nav.agents")), start, given, wrote, said);

  const part = (into, title, load) => load().then((children) => clear(into, h("h2", null, t(title)), children), (err) => clear(into, h("h2", null, t(title)), failure(err, all)));
  const cite = (p) => h("a", { href: noteLink(p, p.startLine) }, h("bdi", null, `${p.path}#L${p.startLine}`));

  function all() {
    part(start, "agents.start", async () => {
      const p = await get("/v1/prime");
      if (p.text === "") return dim(t("agents.noStart"));
      const lines = p.text.split("\n").filter((x) => x.startsWith("- "));
      return [dim(t("agents.startHint") + " " + t("agents.tokens", p.tokens)), h("details", { class: "given" }, h("summary", null, t("agents.lines", p.parts.length)), h("ol", null, p.parts.map((x, i) => h("li", null, h("span", { dir: "auto" }, (lines[i] ?? "").slice(2)), h("p", { class: "cite" }, cite(x), " · ", h("span", { lang: "en" }, x.reason), " · " + t("agents.tokens", x.tokens))))),
        p.left.length > 0 && dim(t("agents.left", p.left.length)), h("details", null, h("summary", null, t("agents.exact")), h("pre", { tabindex: "0" }, p.text)))];
    });
    part(given, "agents.given", async () => {
      const { sessions } = await get("/v1/given");
      if (sessions.length === 0) return dim(t("agents.noneGiven"), " ", h("code", null, "memoir setup"));
      return sessions.map((s) => h("div", { class: "card given" }, h("p", null, h("b", null, s.agent), h("span", null, h("bdi", null, s.session))), s.times.map((x) => h("details", null,
        h("summary", null, time(x.at) + " · " + word("event", x.event) + " · " + t("agents.lines", x.parts.length) + " · " + t("agents.tokens", x.tokens)),
        h("ol", null, x.parts.map((p) => h("li", null, p.text ? h("span", { dir: "auto" }, p.text.replace(/^- /, "")) : h("em", { class: "dim" }, t("agents.goneText")), h("p", { class: "cite" }, cite(p), " · ", h("span", { lang: "en" }, p.reason), " · " + t("agents.tokens", p.tokens)))))))));
    });
    part(wrote, "agents.wrote", async () => {
      const entries = (await get("/v1/entries?status=all")).filter((e) => e.session || ["agent", "tool", "web"].includes(e.origin)).sort((a, b) => (b.observed ?? "").localeCompare(a.observed ?? ""));
      if (entries.length === 0) return dim(t("agents.noneWrote"));
      return h("ul", { class: "day-list" }, entries.slice(0, 100).map((e) => h("li", null, h("span", { dir: "auto" }, e.text), h("p", { class: "cite" }, e.origin && h("span", { class: "tag" }, word("origin", e.origin)), " ", e.observed && day(e.observed) + " · ", cite(e), e.session && [" · ", h("bdi", null, e.session)]))));
    });
    part(said, "agents.sessions", async () => {
      const { enabled, sessions } = await get("/v1/sessions");
      if (!enabled) return dim(t("agents.off"), " ", h("code", null, "sessions.enabled = true"));
      if (sessions.length === 0) return dim(t("agents.noSessions"));
      return h("ul", { class: "day-list" }, sessions.map((s) => h("li", null, h("a", { href: "#/agents/" + encoded(s.path), dir: "auto" }, s.title || s.id), h("p", { class: "cite" }, h("span", { class: "tag" }, s.agent), " ", s.started && time(s.started) + " · ", t("agents.turns", s.turns), s.project && [" · ", h("bdi", null, s.project)]))));
    });
  }

  all();
  const again = later(all, 1200);
  return { el, title: t("nav.agents"), told: (ev) => ev.type !== "indexed" && again(), gone: () => again.stop() };
}

// session shows what was said.
function session(id) {
  const body = h("div", null, loading());
  const el = h("div", { class: "sheet" }, h("p", { class: "crumb" }, h("a", { href: "#/agents" }, t("nav.agents"))), heading(t("agents.session")), body);
  const load = () => get("/v1/sessions/" + encoded(id)).then((s) => {
    const step = 200;
    let shown = 0;
    const more = button(t("search.more"), () => next(), { class: "more" });
    const next = () => {
      more.remove();
      for (const x of s.turns.slice(shown, shown + step)) body.append(h("article", { class: "turn", dir: "auto" }, h("b", null, word("role", x.role), x.time && " · " + time(x.time)), x.text));
      shown += step;
      if (shown < s.turns.length) body.append(more);
    };
    clear(body);
    next();
  }, (err) => clear(body, failure(err, load)));
  load();
  return { el, title: t("agents.session"), keys: (ev, typing) => !typing && ev.key === "Escape" && (location.hash = "#/agents", true) };
}
