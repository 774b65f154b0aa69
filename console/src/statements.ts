// The page Query: statements of one's own in a session of its own, their results, messages and plans.

import { saveCsv } from "./ask";
import { batches, QuerySession, results, said, type Message, type Rows } from "./batch";
import { h, set } from "./dom";
import type { Editor } from "./editor";
import { grid } from "./grid";
import { note, showRuns } from "./history";
import { isPlan, planTree } from "./plan";
import { Refused, type Live } from "./server";
import { count, seconds } from "./units";

/** The session and what it has said stay while other pages are open. */
const kept = {
  session: null as QuerySession | null,
  database: "master",
  text: sessionStorage.getItem("statements") ?? "SELECT * FROM sys.databases",
  output: h("div", { class: "page", id: "results" }),
  note: h("p", { class: "state", role: "status" }),
  /** Transactions that the session has open. */
  open: 0,
  /** Names for completion, by database. */
  names: new Map<string, { schema: Record<string, Record<string, string[]>>; tables: Map<string, string[]> }>(),
};
/** Runs of one batch at once: more is a loop's work. */
const TIMES = 1000;
/** Results that are drawn. */
const GRIDS = 100;
/** Messages that are drawn, and errors above the results. */
const MESSAGES = 2000;
const ERRORS = 50;

const NAMES = `SELECT s.name, o.name, c.name
FROM sys.all_objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.all_columns c ON c.object_id = o.object_id
WHERE o.type IN ('U', 'V', 'S', 'P', 'FN', 'IF', 'TF')
ORDER BY o.object_id, c.column_id`;

/** Keeps a text, for a reload too, unless it is longer than browsers keep anything: then that is said. */
function keep(text: string): void {
  kept.text = text;
  try {
    sessionStorage.setItem("statements", text);
    if (kept.note.dataset.end === "long") kept.note.textContent = kept.note.dataset.end = "";
  } catch {
    // Half of it, or one from before, would pass for it.
    sessionStorage.removeItem("statements");
    kept.note.textContent = "This text is too long for the browser to keep: it goes when the page is loaded anew.";
    kept.note.dataset.end = "long";
  }
}

/** Opens the page with a statement. */
export function openInQuery(text: string): void {
  keep(text);
  if (location.hash === "#query") dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = "query";
}

export function statements(live: Live): { element: HTMLElement; stop: () => void } {
  kept.session ??= new QuerySession();
  const session = kept.session;
  let editor: Editor | null = null;
  let stopped = false;
  const place = h("div", { class: "editor", id: "editor" }, h("p", { class: "state" }, "Loading the editor …"));
  const trouble = h("p", { class: "trouble", role: "alert" });
  const databases = h("select", { id: "query-database", change: () => choose(databases.value) });
  const start = h("button", { type: "button", class: "main", title: "Ctrl+Enter or F5; of a selection only that", click: () => void run(false) }, "Run");
  const plan = h("button", { type: "button", title: "How it would be run, as a tree; nothing is run", click: () => void run(true) }, "Plan");
  const cancel = h("button", { type: "button", disabled: true, click: () => void stop() }, "Cancel");
  const fresh = h("button", { type: "button", title: "Ends the session: its transaction is rolled back, its temporary tables go", click: () => renew() }, "New session");
  const past = h("button", { type: "button", title: "What was run here before", click: () => showRuns((run) => (choose(run.database), editor?.put(run.text), editor?.focus())) }, "History");
  const commit = h("button", { type: "button", class: "main", click: () => void end("COMMIT") }, "Commit");
  const back = h("button", { type: "button", class: "danger", click: () => void end("ROLLBACK") }, "Roll back");
  const openText = h("span");
  const openNote = h("div", { class: "row open-transaction", role: "status", hidden: true }, openText, commit, back);
  const element = h(
    "div",
    { class: "page" },
    h(
      "section",
      { class: "panel" },
      h("div", { class: "row" }, h("label", { for: "query-database" }, "Database"), databases, start, plan, cancel, past, fresh),
      openNote,
      trouble,
      place,
      kept.note,
    ),
    kept.output,
  );
  const opened = (n: number) => {
    kept.open = n;
    openNote.hidden = n === 0;
    openText.textContent = n === 0 ? "" : `${n === 1 ? "A transaction is" : `${count(n)} transactions within each other are`} open in this session: what it has changed is locked for others, and lost with the session.`;
  };

  let listed = "";
  const list = () => {
    const open = live.databases.filter((d) => d.state === "ONLINE").map((d) => d.name);
    if (!open.includes(kept.database)) open.unshift(kept.database);
    if (listed !== open.join("\n")) {
      listed = open.join("\n");
      set(databases, ...open.map((name) => h("option", { value: name }, name)));
    }
    databases.value = kept.database;
  };
  const choose = (name: string) => {
    kept.database = name;
    list();
    void complete();
  };

  /** Names are asked for in a session that ends with the answer. */
  const complete = async () => {
    const of = kept.database;
    if (!kept.names.has(of)) {
      const asks = new QuerySession();
      try {
        const [rows] = await results(asks, NAMES, of);
        const [schema, tables] = [{} as Record<string, Record<string, string[]>>, new Map<string, string[]>()];
        for (const [own, object, column] of rows.all() as string[][]) {
          const columns = ((schema[own] ??= {})[object] ??= []);
          if (column) columns.push(column);
          tables.set(object.toLowerCase(), columns);
        }
        kept.names.set(of, { schema, tables });
      } catch {
        // Without names the editor completes key words.
        return;
      } finally {
        asks.close();
      }
    }
    const names = kept.names.get(of);
    if (names && of === kept.database) editor?.names(names.schema, names.tables);
    place.dataset.names = of;
  };

  const working = () => {
    start.disabled = plan.disabled = fresh.disabled = session.running;
    cancel.disabled = !session.running;
    commit.disabled = back.disabled = session.running;
  };
  /** Ends the open transaction, as a statement of one's own would. */
  const end = async (how: "COMMIT" | "ROLLBACK") => {
    if (session.running) return;
    const out = new Output();
    trouble.textContent = "";
    try {
      const going = session.run(how, null, { ...out.hears(0, choose), transactions: opened });
      working();
      await going;
      kept.note.textContent = out.failed ? `${how}: with errors.` : `${how}: done.`;
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : "The connection to the server is gone.";
    } finally {
      out.draw();
      working();
    }
  };
  const stop = async () => {
    cancel.disabled = true;
    await session.cancel().catch((e) => (trouble.textContent = e instanceof Refused ? e.message : "The server does not answer."));
  };
  const renew = () => {
    session.close();
    kept.session = null;
    kept.open = 0;
    kept.names.clear();
    dispatchEvent(new HashChangeEvent("hashchange"));
  };

  const run = async (planOnly: boolean) => {
    if (session.running || !editor) return;
    const { text, line } = editor.wanted();
    const all = batches(text);
    trouble.textContent = "";
    if (!all.length) return void (trouble.textContent = "There is no statement to run.");
    const began = performance.now();
    const out = new Output();
    let end = "done";
    const timer = setInterval(() => (kept.note.textContent = `Running, ${seconds(Math.round((performance.now() - began) / 1000))}; ${count(out.rows)} rows.`), 250);
    try {
      const send = async (sql: string, offset: number, heard: Output | null) => {
        const going = session.run(sql, kept.database, { ...heard?.hears(offset, choose), transactions: opened });
        working();
        end = await going;
        return end === "done";
      };
      if (planOnly) await send("SET SHOWPLAN_ALL ON", 0, null);
      try {
        outer: for (const batch of all) {
          if (batch.times > TIMES) out.say({ number: 0, severity: 11, state: 1, line: 0, procedure: null, text: `GO ${batch.times}: at most ${TIMES} times here.` });
          for (let n = 0; n < Math.min(batch.times, TIMES); n++) if (!(await send(batch.sql, line + batch.line, out))) break outer;
        }
      } finally {
        const last = end;
        if (planOnly && last !== "closed") await session.run("SET SHOWPLAN_ALL OFF", null, {});
        end = last;
      }
    } catch (e) {
      end = "failed";
      trouble.textContent = e instanceof Refused ? e.message : "The connection to the server is gone.";
    } finally {
      clearInterval(timer);
      out.done();
      if (end === "closed") opened(0);
      const how = { done: "Done", cancelled: "Cancelled", closed: "The session has ended; the next run has a new one", failed: "Not done" }[end] ?? end;
      kept.note.textContent = `${how}: ${count(out.rows)} rows in ${seconds((performance.now() - began) / 1000)}${out.failed ? ", with errors" : ""}.`;
      kept.note.dataset.end = end;
      if (!planOnly) note({ text, database: kept.database, at: Date.now(), ms: performance.now() - began, how: out.failed ? `${how}, with errors` : how });
      working();
    }
  };

  void (async () => {
    try {
      // The file has a name that the server knows; it is no part of this one.
      const file = "/assets/editor.js";
      const { make } = (await import(file)) as typeof import("./editor");
      if (stopped) return;
      set(place);
      const inner = h("div");
      place.append(inner);
      editor = make(inner, kept.text, () => void run(false), () => {
        keep(editor?.text() ?? "");
      });
      editor.focus();
      void complete();
    } catch {
      set(place, h("p", { class: "trouble" }, "The editor could not be loaded: is the server there?"));
    }
  })();
  list();
  working();
  opened(kept.open);
  const silent = live.listen(list);
  return {
    element,
    stop: () => {
      stopped = true;
      silent();
      editor?.stop();
    },
  };
}

/** What a run has said, drawn as it comes. */
class Output {
  rows = 0;
  failed = false;
  private grids: { rows: Rows; grow: () => void; title: HTMLElement; number: number }[] = [];
  private messages = h("pre", { tabindex: 0, role: "log", "aria-label": "Messages", id: "messages" });
  private plans: (() => void)[] = [];
  private said = 0;
  private due = false;
  private results = h("div", { class: "page" });
  private errors = h("pre", { tabindex: 0, "aria-label": "Errors", id: "errors-of-run" });
  private problems = h("section", { class: "panel problems", hidden: true }, h("h2", {}, "Errors"), this.errors);
  private all = 0;

  constructor() {
    set(kept.output, this.problems, this.results, h("section", { class: "panel" }, h("h2", {}, "Messages"), this.messages));
  }

  hears(offset: number, database: (name: string) => void) {
    return {
      columns: (rows: Rows) => this.add(rows),
      message: (m: Message) => this.say(m.severity > 10 || m.line ? { ...m, line: m.line + (m.procedure ? 0 : offset) } : m),
      count: (rows: number) => this.line(`(${count(rows)} ${rows === 1 ? "row" : "rows"} affected)`),
      database,
      progress: () => this.soon(),
    };
  }

  say(m: Message): void {
    if (m.severity > 10) {
      this.failed = true;
      this.problems.hidden = false;
      // Whoever looks for what went wrong does not scroll through results.
      if (this.errors.childElementCount < ERRORS) this.errors.append(h("span", { class: "trouble" }, `${said(m)}\n`));
    }
    this.line(said(m), m.severity > 10 ? "trouble" : "");
  }

  private line(text: string, kind = ""): void {
    if (++this.said === MESSAGES) this.messages.append(h("span", {}, `Only the first ${count(MESSAGES)} messages are shown.\n`));
    if (this.said >= MESSAGES && kind === "") return;
    this.messages.append(h("span", { class: kind }, `${text}\n`));
  }

  private add(rows: Rows): void {
    this.all++;
    if (this.all > GRIDS) {
      if (this.all === GRIDS + 1) this.results.append(h("p", { class: "state" }, `Only the first ${count(GRIDS)} results are shown.`));
      return;
    }
    const number = this.all;
    if (isPlan(rows)) return this.plan(rows);
    const title = h("h2", {}, `Result ${number}`);
    const shown = grid(rows, `Result ${number}`);
    const save = () => {
      saveCsv(`result-${number}.csv`, rows.columns.map((c) => c.name), rows.each());
      const [first] = rows.cuts;
      if (first) this.line(`result-${number}.csv: ${count(rows.cuts.length)} ${rows.cuts.length === 1 ? "cell is" : "cells are"} cut, the first in row ${count(first.row + 1)}, column ${rows.columns[first.column].name} (${count(first.characters)} characters). A file of bcp or sqlcmd has them whole.`, "trouble");
    };
    const csv = h("button", { type: "button", click: save }, "CSV");
    this.grids.push({ rows, grow: shown.grow, title, number });
    this.results.append(h("section", { class: "panel result" }, h("div", { class: "row" }, title, h("span", { class: "space" }), csv), shown.element));
  }

  /** A plan comes row by row, and is drawn when it is whole. */
  private plan(rows: Rows): void {
    const place = h("section", { class: "panel" }, h("h2", {}, "Plan"));
    this.results.append(place);
    this.plans.push(() => place.append(planTree(rows)));
  }

  /** Draws what has come, a few times a second. */
  private soon(): void {
    this.rows = this.grids.reduce((n, g) => n + g.rows.length, 0);
    if (this.due) return;
    this.due = true;
    setTimeout(() => this.draw(), 150);
  }

  /** All has come. */
  done(): void {
    this.draw();
    for (const draw of this.plans.splice(0)) draw();
  }

  draw(): void {
    this.due = false;
    this.rows = this.grids.reduce((n, g) => n + g.rows.length, 0);
    for (const g of this.grids) {
      g.title.textContent = `Result ${g.number}: ${count(g.rows.length)} ${g.rows.length === 1 ? "row" : "rows"}`;
      g.grow();
    }
  }
}
