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
  let res;
  try {
    res = await fetch(base + path, { method, headers, signal: options.signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Problem(0, "offline", t("noAnswer"), "memoir serve");
  }
  const text = await res.text();
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
// connects again by itself, after longer and longer pauses where the browser gives up.
export function listen(told, state) {
  let wait = 1000;
  const open = () => {
    const source = new EventSource(base + "/v1/events");
    source.onopen = () => { wait = 1000; state(true); };
    source.onerror = () => {
      state(false);
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 30000);
    };
    for (const type of ["indexed", "written", "reset"]) source.addEventListener(type, (ev) => told(JSON.parse(ev.data)));
  };
  open();
}
