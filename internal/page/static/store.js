// What the browser keeps: small lists and drafts. Where storage is off nothing is
// kept, and everything else works.

import { base } from "./api.js";

// Each workspace has its own.
const prefix = "memoir." + base;

export function keep(key, value) {
  try {
    if (value === undefined || value === null) localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch { /* full, or off */ }
}

export function kept(key, unset) {
  try {
    const text = localStorage.getItem(prefix + key);
    return text === null ? unset : JSON.parse(text);
  } catch {
    return unset;
  }
}

// Lists are lists of strings, the newest first.
export const list = (key) => {
  const all = kept(key, []);
  return Array.isArray(all) ? all.filter((x) => typeof x === "string") : [];
};

export function prepend(key, text, most) {
  keep(key, [text, ...list(key).filter((x) => x !== text)].slice(0, most));
}

export const drop = (key, text) => keep(key, list(key).filter((x) => x !== text));
