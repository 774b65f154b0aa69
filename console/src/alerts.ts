// What needs attention: databases that are not there, damage, logs that are full, who waits for long.

import { ask } from "./ask";
import { h, set } from "./dom";
import { showQuery } from "./query";
import type { Live } from "./server";
import { count, seconds } from "./units";

type Alert = [string, string, number | null, string | null];

/** The statements, and what they read. */
const SOURCES: [string, string][] = [
  ["alerts", "sys.databases, sys.dm_exec_requests"],
  ["fullLogs", "Percent Log Used"],
  ["damaged", "msdb.dbo.suspect_pages"],
  ["failedBackups", "msdb.taffrail.backup_run"],
];
/** Rows that are shown at most. */
const SHOWN = 20;

/** A row in words, and the page that shows more of it. */
export function said([kind, name, n, word]: Alert): [string, string] {
  switch (kind) {
    case "state":
      return [`Database ${name} is ${word}: nobody can use it.`, "errorlog"];
    case "damage":
      return [`Database ${name} has damaged pages: ${count(n ?? 0)} met so far. DBCC CHECKDB says what they hold.`, "errorlog"];
    case "log":
      return [`The log of ${name} is full to ${n} % and cannot grow; it waits for ${word}.`, "log"];
    case "blocked":
      return [`Session ${name} has waited ${seconds(n ?? 0)} for session ${word}.`, "overview"];
    case "idle":
      return [`Session ${name} (${word}) keeps a transaction open, and has done nothing for ${seconds(n ?? 0)}.`, "log"];
    case "backup":
      return [`The last scheduled backup of ${name} failed: ${word}`, "backups"];
    default:
      return [[kind, name, n, word].filter((part) => part !== null).join(" "), "overview"];
  }
}

/** A list that is there while there is something to say. */
export function alerts(live: Live): { element: HTMLElement; trouble: HTMLElement; unseen: HTMLElement; stop: () => void } {
  const list = h("ul");
  const note = h("p", { class: "state" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const unseen = h("p", { class: "state" });
  const sources = SOURCES.map(([query, text]) => h("button", { class: "source", type: "button", click: () => void showQuery(query) }, text));
  const element = h("section", { class: "panel alerts", hidden: true }, h("h2", {}, "Needs attention"), list, note, h("div", { class: "row" }, ...sources));
  let before = "";
  const got = (answer: any) => {
    const all: Alert[] = SOURCES.flatMap(([part]) => answer[part] ?? []);
    const rows = all.filter(([kind]) => kind !== "unseen");
    // Nothing is said to be well that was not looked at.
    const hidden = all.filter(([kind]) => kind === "unseen").map(([, view]) => `Whether logs can grow is not shown to this login (${view}).`);
    unseen.textContent = [...new Set([...hidden, ...Object.values<string>(answer.refused ?? {})])].join(" ");
    if (unseen.textContent) unseen.prepend("Not all is looked at for this login. ");
    element.hidden = rows.length === 0;
    note.textContent = rows.length > SHOWN ? `${count(rows.length - SHOWN)} more are not shown.` : "";
    const words = rows.slice(0, SHOWN).map(said);
    const now = JSON.stringify(words);
    // A link stays under somebody's pointer or focus while nothing is new.
    if (now === before) return;
    before = now;
    set(list, ...words.map(([text, page]) => h("li", {}, page === "overview" ? text : h("a", { href: `#${page}` }, text))));
  };
  return { element, trouble, unseen, stop: ask(live, "alerts", 5, got, trouble) };
}
