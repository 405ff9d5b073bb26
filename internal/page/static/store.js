// What the browser keeps: small lists and drafts. What it has no room for, or where
// storage is off, is there as long as the page is.

import { base } from "./api.js";

// Each workspace has its own.
const prefix = "memoir." + base;

const held = new Map(); // what the browser did not keep

export function keep(key, value) {
  held.delete(key);
  try {
    if (value === undefined || value === null) localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    held.set(key, value);
  }
}

// unkept is whether something would go with the page whose key begins so.
export const unkept = (prefix) => [...held].some(([key, value]) => key.startsWith(prefix) && value);

export function kept(key, unset) {
  if (held.has(key)) return held.get(key) ?? unset;
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
