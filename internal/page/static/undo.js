// What was changed on this page, and the last of it taken back.
import { toast } from "./dom.js";
import { post } from "./api.js";
import { t } from "./i18n.js";

export const readOnly = document.documentElement.hasAttribute("data-read-only");

let last = ""; // the id of the last change that was made here

export function changed(id, text) {
  last = id;
  toast(text, id && { label: t("undo"), key: "u", run: undo }, "good");
}

// undo takes back the last change, and tells the document by the event "undone".
export async function undo() {
  if (last === "") {
    toast(t("undo.nothing"));
    return;
  }
  const id = last;
  last = "";
  try {
    await post("/v1/undo", { id });
    toast(t("undo.done"), null, "good");
    document.dispatchEvent(new Event("undone"));
  } catch (err) {
    toast(t("undo.failed", err.message), null, "bad");
  }
}
