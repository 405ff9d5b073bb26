// One dictionary for each language; English has every word.
import { words as en } from "./en.js";
import { words as zh } from "./zh.js";

const dictionaries = { en, zh };

let lang = chosen();
document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";

function chosen() {
  try {
    const set = localStorage.getItem("memoir.lang");
    if (set in dictionaries) return set;
  } catch { /* storage is off */ }
  return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
}

export const language = () => lang;

export function setLanguage(next) {
  lang = next;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  try {
    localStorage.setItem("memoir.lang", lang);
  } catch { /* storage is off */ }
}

// t returns the words of a key with {0}, {1} filled in. Words with a bar are those for
// one and for many; the first value counts.
export function t(key, ...values) {
  let text = dictionaries[lang][key] ?? en[key] ?? key;
  if (text.includes("|")) text = text.split("|")[values[0] === 1 ? 0 : 1];
  return text.replace(/\{(\d)\}/g, (_, i) => (typeof values[i] === "number" ? number(values[i]) : values[i] ?? ""));
}

// tongue is the lang of what the server says: it says it in this language where it can,
// else in English.
export const tongue = (text) => (lang === "zh" && !/\p{Script=Han}/u.test(text) ? "en" : null);

// word translates a value of the API where there is a word for it.
export const word = (group, value) => dictionaries[lang][group + "." + value] ?? en[group + "." + value] ?? value;

export const number = (n, digits) => new Intl.NumberFormat(lang, { maximumFractionDigits: digits ?? 0 }).format(n);

export function day(text) {
  const [y, m, d] = text.split("-").map(Number);
  if (!y || !m || !d) return text;
  return new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeZone: "UTC" }).format(Date.UTC(y, m - 1, d));
}

export function time(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" }).format(at);
}

export function month(text, style = "long") {
  const [y, m] = text.split("-").map(Number);
  return new Intl.DateTimeFormat(lang, { year: "numeric", month: style, timeZone: "UTC" }).format(Date.UTC(y, m - 1, 1));
}

export function bytes(n) {
  if (n < 1024) return number(n) + " B";
  return n < 1 << 20 ? number(n / 1024, 1) + " kB" : number(n / (1 << 20), 1) + " MB";
}
