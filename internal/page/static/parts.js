// What several views show alike.
import { h, sentence, step } from "./dom.js";
import { encoded } from "./api.js";
import { number, t, word } from "./i18n.js";

// nameOf is what a note of an answer is called where two memories are one.
export const nameOf = (x) => (x.scope === "user" || (x.scope === "project" && /^(user|project):/.test(x.path)) ? x.scope + ":" : "") + x.path;

// noteLink leads to a note, by its name or by what of an answer has its path.
export const noteLink = (note, line, edit) => {
  const path = typeof note === "string" ? note : nameOf(note);
  const query = [line > 1 && "line=" + line, edit && "edit=1"].filter(Boolean).join("&");
  return "#/notes/" + encoded(path) + (query && "?" + query);
};

// dots show how likely a passage answers, as the terminal does.
export function dots(relevance) {
  const n = Math.round(relevance * 5);
  return h("span", { class: "dots", role: "img", "aria-label": t("relevance", number(relevance * 100)), title: t("relevance", number(relevance * 100)) }, "●".repeat(n), h("span", { class: "off" }, "○".repeat(5 - n)));
}

// degradations say what could not take part, and what to do.
export const degradations = (all) => (all ?? []).map((d) => h("div", { class: "notice warn" },
  h("p", { dir: "auto" }, h("b", null, word("degraded", d.part), ": "), sentence("span", d.reason)), step(d.action)));

export const loading = () => h("p", { class: "dim loading" }, t("loading"));

// waiting is a section whose contents are to come.
export const waiting = (title) => h("section", null, h("h2", null, t(title)), loading());

// heading is the title of a view with what can be done beside it.
export const heading = (title, ...beside) => h("div", { class: "title" }, h("h1", null, title), h("div", { class: "beside" }, beside));
