// What the server is asked, and what it tells by itself.

import { language, t } from "./i18n.js";

// base is what the addresses of this workspace begin with: nothing, or /w/NAME.
export const base = location.pathname.replace(/\/$/, "");

// A Problem is an answer that is none.
export class Problem extends Error {
  constructor(status, code, message, action) {
    super(message);
    Object.assign(this, { status, code, action });
  }
}

// api asks the server. body is sent as JSON; the answer is what its JSON says.
export async function api(method, path, body, options = {}) {
  const headers = { "Accept-Language": language(), ...options.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let res, text;
  try {
    res = await fetch(base + path, { method, headers, signal: options.signal, body: body === undefined ? undefined : JSON.stringify(body) });
    text = await res.text();
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Problem(0, "offline", t("noAnswer"), "memoir serve");
  }
  let value = null;
  try {
    value = text === "" ? null : JSON.parse(text);
  } catch { /* told below */ }
  if (!res.ok) throw new Problem(res.status, value?.code ?? "", value?.error?.message ?? res.statusText, value?.error?.action ?? "");
  return value;
}

export const get = (path, options) => api("GET", path, undefined, options);
export const post = (path, body, options) => api("POST", path, body, options);

// encoded is a note's path as it stands in a URL.
export const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

// listen calls told with each event, and state with whether the server is there. It
// connects again by itself, after longer and longer pauses where the browser gives up. What
// was missed meanwhile is told as a reset.
//
// A browser has six connections to a server for all its tabs, and each that listens takes
// one. So a hidden tab stops when three others have been looked at since, and goes on
// once it is seen again.
export function listen(told, state) {
  let wait = 1000, source = null, timer = 0, missed = document.hidden;
  const stop = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    stop();
    const mine = (source = new EventSource(base + "/v1/events"));
    mine.onopen = () => {
      wait = 1000;
      state(true);
      if (missed) told({ type: "reset" });
      missed = false;
    };
    mine.onerror = () => {
      state(false);
      missed = true;
      if (mine.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, 30000);
    };
    for (const type of ["indexed", "written", "reset"]) mine.addEventListener(type, (ev) => told(JSON.parse(ev.data)));
  };
  const tabs = new BroadcastChannel("memoir");
  const me = Math.random(), others = new Set(); // others were looked at since this one was
  tabs.onmessage = (ev) => {
    others.add(ev.data);
    if (!document.hidden || others.size < 3) return;
    stop();
    missed = true;
  };
  const seen = () => {
    if (document.hidden) return;
    others.clear();
    tabs.postMessage(me);
    if (source === null) open();
  };
  document.addEventListener("visibilitychange", seen);
  seen();
}
