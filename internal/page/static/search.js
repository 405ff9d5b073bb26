// Search as you type, with all that is known of why it was found.
import { button, chord, clear, dim, failure, h, icon, later, marked, say, sentence } from "./dom.js";
import { encoded, get, post } from "./api.js";
import { day, number, t, word } from "./i18n.js";
import { drop, list, prepend } from "./store.js";
import { degradations, dots, nameOf, noteLink } from "./parts.js";

const step = 20; // notes more
const filterKeys = ["type", "since", "path", "status"];
const filterPattern = /(^|\s)(type|since|path|status):("[^"]*"|\S+)/g;

let last = { query: "", limit: step }; // what was asked when the view was left

export function view(route) {
  const asked = route.params.get("q");
  let limit = asked === null || asked === last.query ? last.limit : step;
  let running = null;
  let at = -1;
  let answer = null;

  const input = h("input", {
    id: "q", type: "search", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto", maxlength: "4000", enterkeyhint: "search",
    placeholder: t("search.placeholder"), "aria-label": t("search.label"), value: asked ?? last.query, oninput: () => { limit = step; chips(); soon(); },
  });
  const star = button(icon("star"), save, { class: "icon-button", "aria-label": t("search.save"), title: t("search.save") });
  const chipRow = h("div", { class: "chips" });
  const results = h("div", { class: "results" });
  const el = h("div", { class: "search" },
    h("h1", { class: "sr" }, t("nav.search")),
    h("form", { class: "ask", role: "search", onsubmit: (ev) => { ev.preventDefault(); soon.stop(); ask().then(() => remember()); } }, icon("search"), input, star),
    chipRow, results);
  const soon = later(() => ask(), 120);

  function chips() {
    const text = input.value;
    const saved = list("saved").includes(text.trim());
    star.setAttribute("aria-pressed", String(saved));
    star.hidden = text.trim() === "";
    clear(chipRow, [...text.matchAll(filterPattern)].map((m) => h("span", { class: "chip on" },
      h("span", { dir: "auto" }, h("b", null, t("filter." + m[2]), " "), label(m[2], m[3])),
      button(icon("close"), () => change(text.slice(0, m.index) + text.slice(m.index + m[0].length)), { "aria-label": t("filter.remove", t("filter." + m[2])) }))),
    filterKeys.filter((key) => !new RegExp("(^|\\s)" + key + ":").test(text)).map((key) => adder(key)));
  }

  const label = (key, value) => (key === "type" ? word("type", value.replaceAll('"', "")) : key === "status" ? word("status", value) : value.replaceAll('"', ""));

  function adder(key) {
    const add = (value) => value && change(input.value.trimEnd() + " " + key + ":" + (/\s/.test(value) ? '"' + value.replaceAll('"', "") + '"' : value));
    if (key === "path") {
      return button([icon("plus"), t("filter.path")], (ev) => {
        const field = h("input", { class: "chip", "aria-label": t("filter.path"), placeholder: "memory/", dir: "auto", size: "12", onchange: () => add(field.value.trim()), onblur: () => chips(),
          onkeydown: (e) => { if (e.key === "Escape") { chips(); input.focus(); } } });
        ev.currentTarget.replaceWith(field);
        field.focus();
      }, { class: "chip" });
    }
    const ago = (days) => new Date(Date.now() - days * 864e5).toISOString().slice(0, 10);
    const options = {
      type: ["preference", "instruction", "contact", "project", "decision", "learning", "journal", "note", "session"].map((x) => [x, word("type", x)]),
      since: [[ago(7), t("since.week")], [ago(31), t("since.month")], [ago(366), t("since.year")]],
      status: [["all", t("status.all")], ["superseded", t("status.superseded")]],
    }[key];
    return h("label", { class: "chip" }, icon("plus"), h("select", { "aria-label": t("filter.add", t("filter." + key)), onchange: (ev) => add(ev.target.value) },
      h("option", { value: "" }, t("filter." + key)), options.map(([value, text]) => h("option", { value }, text))));
  }

  function change(text) {
    input.value = text.replace(/\s+/g, " ").trimStart();
    limit = step;
    chips();
    ask();
    input.focus();
  }

  function save() {
    const text = input.value.trim();
    if (list("saved").includes(text)) drop("saved", text);
    else prepend("saved", text, 50);
    chips();
    say(t(list("saved").includes(text) ? "search.saved" : "search.unsaved"));
  }

  const remember = () => input.value.trim() && prepend("recent", input.value.trim(), 12);

  async function ask() {
    const query = input.value.trim();
    last = { query: input.value, limit };
    history.replaceState(null, "", query ? "#/search?q=" + encodeURIComponent(query) : "#/search");
    running?.abort();
    at = -1;
    if (query === "") {
      answer = null;
      clear(results, shelf());
      say("");
      return;
    }
    const mine = (running = new AbortController());
    results.setAttribute("aria-busy", "true");
    try {
      const found = await post("/v1/search", { query, limit, explain: true }, { signal: mine.signal });
      if (mine !== running) return; // a later question was asked meanwhile
      answer = found;
      paint(found);
    } catch (err) {
      if (err.name === "AbortError" || mine !== running) return;
      clear(results, failure(err, ask));
    } finally {
      if (mine === running) results.removeAttribute("aria-busy");
    }
  }

  // shelf shows questions that were asked before.
  function shelf() {
    const part = (key, title) => {
      const all = list(key);
      return all.length > 0 && h("section", null, h("h2", null, t(title)), h("ul", { class: "plain-list" }, all.map((q) => h("li", null,
        h("a", { href: "#/search?q=" + encodeURIComponent(q), dir: "auto", onclick: (ev) => { ev.preventDefault(); change(q); } }, q),
        button(icon("close"), () => { drop(key, q); clear(results, shelf()); }, { class: "icon-button small", "aria-label": t("search.drop", q) })))));
    };
    const parts = [part("saved", "search.savedTitle"), part("recent", "search.recentTitle")].filter(Boolean);
    return parts.length > 0 ? h("div", { class: "shelf" }, parts) : h("div", { class: "empty" }, h("p", null, t("search.empty")), dim(t("search.hint")));
  }

  function paint(found) {
    const told = found.results.length === 0 ? t("search.none") : t("search.count", found.results.length);
    say([told, found.nothing && found.nothing].filter(Boolean).join(". "));
    clear(results,
      degradations(found.degraded?.filter((d) => !d.slight)),
      found.results.length > 0 && h("p", { class: "dim count" }, told + " · " + t("search.took", found.tookMs) + " · " + word("mode", found.mode)),
      found.nothing && found.results.length > 0 && sentence("p", found.nothing, { class: "notice" }),
      found.results.length === 0 && h("div", { class: "empty" }, h("p", null, t("search.none")), found.reason && sentence("p", found.reason, { class: "dim" })),
      h("ol", { class: "hits" }, found.results.map(hit)),
      new Set(found.results.map(nameOf)).size >= limit && limit < 200 && button(t("search.more"), () => { limit += step; const keep = at; ask().then(() => move(Math.max(keep, 0))); }, { class: "more" }),
      whyNot());
  }

  function hit(r, i) {
    const why = h("div", { class: "why", id: "why" + i, hidden: true });
    const toggle = button(t("why"), () => explain(r, limit, why, toggle), { class: "plain small", "aria-expanded": "false", "aria-controls": "why" + i });
    return h("li", { class: "hit" + (r.confident ? "" : " weak") + (r.status === "superseded" ? " superseded" : "") },
      h("div", { class: "head" }, dots(r.relevance),
        h("a", { class: "place", href: placeOf(r), onclick: remember, dir: "auto" }, r.title || r.path),
        r.source === "sessions" && h("span", { class: "tag" }, t("type.session")),
        r.scope && h("span", { class: "tag" }, word("scope", r.scope)),
        r.type && h("span", { class: "tag" }, word("type", r.type)),
        r.status === "superseded" && h("span", { class: "tag warn" }, t("status.superseded")),
        r.date && h("time", { datetime: r.date }, day(r.date))),
      h("p", { class: "cite" }, h("bdi", null, r.citation), r.heading.length > 0 && [" · ", h("bdi", null, r.heading.join(" › "))]),
      r.snippet && h("p", { class: "snippet", dir: "auto" }, marked(r.snippet, r.highlights, headings(r))),
      r.alsoIn?.length > 0 && h("p", { class: "cite" }, t("search.alsoIn"), " ", h("bdi", null, r.alsoIn.join(", "))),
      h("div", { class: "foot" }, bars(r), toggle), why);
  }

  // whyNot asks about a note that was expected.
  function whyNot() {
    const out = h("div", { class: "why", "aria-live": "polite" });
    const paths = h("datalist", { id: "paths" });
    const suggest = later(async () => {
      const text = field.value.trim();
      try {
        const { notes } = await get("/v1/notes?limit=12&prefix=" + encodeURIComponent(text));
        clear(paths, notes.map((n) => h("option", { value: n.path })));
      } catch { /* no suggestions */ }
    }, 150);
    const field = h("input", { list: "paths", dir: "auto", placeholder: "memory/2026-03-02.md", "aria-label": t("whyNot.path"), autocomplete: "off", spellcheck: "false", oninput: suggest });
    return h("details", { class: "whynot" }, h("summary", null, t("whyNot.title")),
      h("form", { onsubmit: async (ev) => {
        ev.preventDefault();
        const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(field.value.trim());
        if (path) await ask(out, { query: input.value.trim(), limit, path, line: line ? Number(line) : undefined });
      } }, field, paths, h("button", { class: "main" }, t("whyNot.ask"))), dim(t("whyNot.hint")), out);

    async function ask(into, body) {
      try {
        clear(into, verdict(await post("/v1/why", body)));
      } catch (err) {
        clear(into, failure(err));
      }
    }
  }

  function move(to) {
    const links = [...results.querySelectorAll(".hit .place")];
    if (links.length === 0) return;
    at = Math.max(0, Math.min(to, links.length - 1));
    links[at].focus();
    links[at].closest(".hit").scrollIntoView({ block: "nearest" });
  }

  chips();
  return {
    el, title: t("nav.search"),
    start() {
      if (document.activeElement === input || answer !== null) input.select();
      input.focus();
      if (answer === null) ask();
    },
    keys(ev, typing) {
      if (ev.target === input) {
        if (ev.key === "ArrowDown" || (ev.key === "Enter" && answer?.results.length > 0 && input.value.trim() === answer.query)) {
          remember();
          move(0);
          return true;
        }
        if (ev.key === "Escape" && input.value !== "") { change(""); return true; }
        return false;
      }
      if (typing || chord(ev)) return false;
      const current = document.activeElement?.closest?.(".hit");
      if (current) at = [...results.querySelectorAll(".hit")].indexOf(current);
      if (ev.key === "j" || ev.key === "ArrowDown") move(at + 1);
      else if (ev.key === "k" || ev.key === "ArrowUp") {
        if (at <= 0) input.focus();
        else move(at - 1);
      } else if (ev.key === "w" && current) current.querySelector(".foot button").click();
      else if (ev.key === "e" && current) location.hash = placeOf(answer.results[at], true);
      else if (ev.key === "Escape") input.focus();
      else return false;
      return true;
    },
    told: later((ev) => ev && input.value.trim() !== "" && document.activeElement === input && ask(), 400),
    gone() { soon.stop(); running?.abort(); },
  };
}

const placeOf = (r, edit) => (r.source === "sessions" ? "#/agents/" + encoded(r.path) : noteLink(r, r.startLine, edit));

// bars shows the parts of a score.
function bars(r) {
  const x = r.explain;
  if (!x || !x.fusion) return h("span", { class: "score" }, number(r.score, 2));
  const parts = [["words", x.text.score * x.text.weight], ["meaning", x.vector.score * x.vector.weight]];
  if (x.link?.score) parts.push(["link", x.link.score]);
  for (const s of x.signals ?? []) parts.push([s.name, s.change]);
  const shown = parts.filter(([, v]) => Math.abs(v) >= 0.005);
  const text = t("score") + " " + number(r.score, 2) + ": " + shown.map(([name, v]) => word("part", name) + " " + number(v, 2)).join(", ");
  return h("span", { class: "bars", role: "img", "aria-label": text, title: text }, shown.map(([name, v]) => {
    const bar = h("i", { class: "bar-" + (["words", "meaning", "link"].includes(name) ? name : v < 0 ? "less" : "signal") });
    bar.style.width = Math.min(100, Math.abs(v) * 100) + "%";
    return h("span", { class: "part" }, h("span", { class: "name" }, word("part", name)), h("span", { class: "track" }, bar), h("span", { class: "value" }, (v < 0 ? "−" : "") + number(Math.abs(v), 2)));
  }));
}

async function explain(r, limit, into, toggle) {
  const open = into.hidden;
  into.hidden = !open;
  toggle.setAttribute("aria-expanded", String(open));
  if (!open || into.childNodes.length > 0) return;
  try {
    const query = document.getElementById("q").value.trim();
    clear(into, verdict(await post("/v1/why", { query, limit, path: nameOf(r), line: r.startLine })));
  } catch (err) {
    clear(into, failure(err));
  }
}

// verdict shows why a passage was found or not.
function verdict(w) {
  const x = w.passage?.explain;
  const part = (p) => (p.rank > 0 ? t("why.ranked", p.rank) : t("why.unranked")) + ", " + number(p.score, 3) + " × " + number(p.weight, 2);
  return [
    h("p", { dir: "auto" }, h("b", { class: w.verdict === "hit" ? "good" : "warn" }, word("verdict", w.verdict)), " ", sentence("span", w.reason)),
    h("dl", { class: "facts" },
      w.rank > 0 && [h("dt", null, t("why.rank")), h("dd", null, t("why.of", w.rank, w.found))],
      w.passage && [h("dt", null, t("why.passage")), h("dd", null, h("a", { href: noteLink(w.passage, w.passage.startLine) }, h("bdi", null, w.passage.citation)), " · " + t("score") + " " + number(w.passage.score, 3))],
      w.last && w.verdict !== "hit" && [h("dt", null, t("why.last")), h("dd", null, h("bdi", null, w.last.citation), " · " + number(w.last.score, 3))],
      x?.fusion && [h("dt", null, word("part", "words")), h("dd", null, part(x.text)), h("dt", null, word("part", "meaning")), h("dd", null, part(x.vector))],
      x?.link && [h("dt", null, word("part", "link")), h("dd", null, number(x.link.score, 3), " ", h("bdi", null, x.link.from))],
      (x?.signals ?? []).map((s) => [h("dt", null, word("part", s.name)), h("dd", null, (s.change >= 0 ? "+" : "−") + number(Math.abs(s.change), 3))]),
      w.missing.length > 0 && [h("dt", null, t("why.missing")), h("dd", { dir: "auto" }, w.missing.map((m) => m.word + (m.near.length > 0 ? " (" + t("why.near") + " " + m.near.join(", ") + ")" : "")).join(", "))],
      w.try.length > 0 && [h("dt", null, t("why.try")), h("dd", null, h("ul", null, w.try.map((x) => h("li", null, h("code", { dir: "auto" }, x.action), x.rank > 0 && " → " + t("why.then", x.rank)))))]),
    degradations(w.degraded),
  ];
}

// headings is how many code points at the start of a snippet are headings that its
// title and path say, as in the terminal; 0 of a snippet of nothing else.
function headings(r) {
  let at = 0;
  for (const line of r.snippet.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const words = /^#{1,6} +(.*?)[#\s]*$/.exec(line.trim())?.[1];
    if (line.trim() !== "" && (words === undefined || (words !== r.title && !r.heading.includes(words)))) return at;
    at += Array.from(line).length;
  }
  return 0;
}
