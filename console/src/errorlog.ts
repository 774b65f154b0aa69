// The newest entries of the error log, and those among them that have some words.

import { ask, part } from "./ask";
import { h, set } from "./dom";
import { showQuery } from "./query";
import type { Live } from "./server";
import { count } from "./units";

/** What the server sends at most. */
const SENT = 1000;

export function errorLog(live: Live): { element: HTMLElement; stop: () => void } {
  let rows: [string, string, string][] | null = null;
  let shown = "";
  const words = h("input", { id: "words", placeholder: "words", size: 24, type: "search", input: () => draw() });
  const from = h("select", { id: "from", change: () => draw() }, h("option", { value: "" }, "anybody"));
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "state", role: "status" });
  const body = h("tbody");
  const head = h("thead", {}, h("tr", {}, ...["Time", "From", "Entry"].map((c) => h("th", { scope: "col" }, c))));
  const element = h(
    "div",
    { class: "page" },
    h("div", { class: "row" }, h("label", { for: "words" }, "Entries with"), words, h("label", { for: "from" }, "from"), from),
    trouble,
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Error log, the newest first"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Error log" }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery("errorLog") }, "sp_readerrorlog"),
    ),
  );
  const draw = () => {
    if (!rows) {
      note.textContent = "Loading …";
      return;
    }
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = rows.filter(([, who, text]) => (!from.value || who === from.value) && wanted.every((w) => text.toLowerCase().includes(w)));
    set(
      body,
      ...fits.map(([at, who, text]) =>
        h("tr", { class: /^Error: \d+, Severity: (1[7-9]|2\d)/.test(text) ? "blocks" : "" }, h("td", { class: "number" }, at), h("td", {}, who), h("td", { class: "statement" }, text)),
      ),
    );
    const some = rows.length >= SENT ? ` of the newest ${count(SENT)}` : ` of ${count(rows.length)}`;
    note.textContent = rows.length === 0 ? "The error log is empty." : fits.length === 0 ? `No entry${some} fits.` : `${count(fits.length)}${some}.`;
  };
  const got = (said: any) => {
    if (!part(said, "errorLog", note)) {
      [rows, shown] = [null, ""];
      return set(body);
    }
    // What stays as it is, somebody may be reading or selecting.
    const now = JSON.stringify(said.errorLog);
    if (now === shown) return;
    shown = now;
    rows = said.errorLog;
    const sources = [...new Set((rows ?? []).map((r) => r[1]))].sort();
    const chosen = from.value;
    set(from, h("option", { value: "" }, "anybody"), ...sources.map((s) => h("option", { value: s, selected: s === chosen }, s)));
    draw();
  };
  draw();
  return { element, stop: ask(live, "errorlog", 3, got, trouble) };
}
