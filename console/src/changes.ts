// What the log says: changes of rows with before and after, records as they are, and the script that takes a transaction back.

import { QuerySession, results } from "./batch";
import { h, set } from "./dom";
import { grid } from "./grid";
import { Refused } from "./server";
import { members } from "./row";
import { openInQuery } from "./statements";
import { count } from "./units";

/** Rows that are asked for. */
const MOST = 200;
/** Records of fn_dblog. */
const RECORDS = 10_000;

const quoted = (text: string) => `N'${text.replaceAll("'", "''")}'`;
const bracketed = (name: string) => `[${name.replaceAll("]", "]]")}]`;

/** Nothing, or a value that the functions take. */
const given = (field: HTMLInputElement) => (field.value.trim() ? quoted(field.value.trim()) : "NULL");

/** `database`: of which the log is, or none yet. */
export function changes(database: () => string | null): { element: HTMLElement; changed: () => void; stop: () => void } {
  const session = new QuerySession();
  const field = (id: string, label: string, placeholder: string, size: number) => {
    const input = h("input", { id, placeholder, size, spellcheck: "false", autocomplete: "off" });
    return { input, both: h("span", { class: "field" }, h("label", { for: id }, label), input) };
  };
  const table = field("changes-table", "Table", "all", 18);
  const from = field("changes-from", "from LSN", "the oldest", 24);
  const to = field("changes-to", "to LSN", "the end", 24);
  const transaction = field("changes-transaction", "Transaction", "any", 16);
  const show = h("button", { class: "main" }, "Show changes");
  const records = h("button", { type: "button", click: () => void ask(true) }, "Show records");
  const cancel = h("button", { type: "button", hidden: true, click: () => void session.cancel().catch(() => {}) }, "Cancel");
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "state", role: "status" }, "What was changed, by whom, and what was there before: the log knows. Show changes asks it.");
  const out = h("div");
  const script = h("div");
  const source = h("button", { class: "source", type: "button", click: () => openInQuery(statement(false)) }, "taffrail.log_changes, taffrail.log_undo, sys.fn_dblog");
  const form = h("form", { class: "row fields", submit: (e) => (e.preventDefault(), void ask(false)) }, table.both, transaction.both, from.both, to.both, show, records, cancel);
  const element = h("section", { class: "panel", id: "changes" }, h("h2", {}, "The log explained"), form, trouble, out, note, script, source);

  const statement = (raw: boolean) => {
    const own = transaction.input.value.trim();
    const where = (column: string) => (own ? `\nWHERE ${column} = ${quoted(own)}` : "");
    if (raw) return `SELECT TOP (${RECORDS}) [Current LSN], Operation, Context, [Transaction ID], [Log Record Length], [AllocUnitName], [Transaction Name], [Begin Time], [End Time], [SPID]\nFROM sys.fn_dblog(${given(from.input)}, ${given(to.input)})${where("[Transaction ID]")}`;
    const what = "lsn, CONVERT(varchar(23), commit_time, 121) commit_time, session_id, transaction_id, operation, CONCAT(schema_name, '.', table_name) changed, key_columns, before, after, changed_columns, note";
    return `SELECT TOP (${MOST}) ${what}\nFROM taffrail.log_changes(${given(from.input)}, ${given(to.input)}, ${given(table.input)})${where("transaction_id")}\nORDER BY commit_lsn DESC, lsn DESC`;
  };

  const asking = async (what: () => Promise<void>) => {
    if (session.running) return;
    trouble.textContent = "";
    show.disabled = records.disabled = true;
    cancel.hidden = false;
    try {
      await what();
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : "The connection to the server is gone.";
    } finally {
      show.disabled = records.disabled = false;
      cancel.hidden = true;
    }
  };

  const ask = (raw: boolean) =>
    asking(async () => {
      const of = database();
      if (of === null) return;
      set(out);
      set(script);
      note.textContent = "Reading the log …";
      try {
        const [rows] = await results(session, statement(raw), of);
        if (of !== database()) return void (note.textContent = "");
        const many = rows.length >= (raw ? RECORDS : MOST);
        note.textContent = rows.length === 0 ? "The log has nothing like that." : many ? `Only the ${raw ? "first" : "newest"} ${count(rows.length)} are shown: name a table, a transaction or LSNs.` : `${count(rows.length)} ${raw ? "records" : "changes, the newest first"}.`;
        set(out, rows.length === 0 ? null : raw ? grid(rows, "Log records").element : drawn(rows.all()));
      } catch (e) {
        note.textContent = "";
        throw e;
      }
    });

  const undo = (of: string) =>
    asking(async () => {
      const [rows] = await results(session, `SELECT statement FROM taffrail.log_undo(${quoted(of)}) ORDER BY line`, database());
      // A part of a script must not pass for it.
      if (rows.cuts.length) throw new Refused(0, `The script has a statement of ${count(rows.cuts[0].characters)} characters, which is too long for this page. taffrail.log_undo gives it to other clients (sqlcmd -y 0 -o).`);
      const text = rows.all().map(([line]) => line ?? "").join("\n");
      set(
        script,
        h("h2", {}, `The script that takes transaction ${of} back`),
        h("pre", { tabindex: 0, id: "undo" }, text),
        h("div", { class: "row" }, h("button", { type: "button", click: () => openInQuery(`USE ${bracketed(database() ?? "master")}\nGO\n${text}`) }, "Open in Query"), h("button", { type: "button", click: () => set(script) }, "Close")),
      );
      script.scrollIntoView({ block: "nearest" });
    });

  const drawn = (all: (string | null)[][]) => {
    const columns = ["Committed", "By", "Transaction", "Change", "Before", "After", ""];
    const body = h("tbody");
    let last = "";
    for (const [lsn, at, who, own, operation, changed, key, before, after, columnsChanged, said] of all) {
      const first = own !== last;
      last = own ?? "";
      const only = new Set((columnsChanged ?? "").split(",").map((c) => c.trim()).filter(Boolean));
      body.append(
        h(
          "tr",
          { class: first ? "first" : "" },
          h("td", { class: "number" }, first ? (at ?? "–") : ""),
          h("td", {}, first ? `session ${who}` : ""),
          h("td", {}, first ? h("button", { class: "source", type: "button", title: "Only this transaction", click: () => ((transaction.input.value = own ?? ""), void ask(false)) }, own ?? "") : ""),
          h("td", {}, `${operation} ${changed}`, h("small", { title: `LSN ${lsn}` }, key ?? "")),
          h("td", { class: "statement" }, values(before, only), said ? h("small", {}, said) : null),
          h("td", { class: "statement" }, values(after, only)),
          h("td", {}, first ? h("button", { type: "button", "aria-label": `Undo script of transaction ${own}`, click: () => void undo(own ?? "") }, "Undo script") : ""),
        ),
      );
    }
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes" }, h("table", {}, h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td"))))), body));
  };
  return {
    element,
    changed: () => {
      set(out);
      set(script);
      trouble.textContent = "";
      note.textContent = "Another database's log. Show changes asks it.";
    },
    stop: () => session.close(),
  };
}

/** A row's columns; those that an update has changed stand out. */
function values(json: string | null, changed: Set<string>): HTMLElement {
  if (json === null) return h("span", { class: "muted" }, "–");
  const columns = members(json);
  if (columns === null) return h("code", {}, json.length > 2000 ? `${json.slice(0, 2000)}…` : json);
  return h(
    "code",
    {},
    ...columns.flatMap(([name, value], i) => {
      const text = `${name}: ${value === null ? "NULL" : value.length > 200 ? `${value.slice(0, 200)}…` : value}`;
      return [i ? ", " : "", changed.has(name) ? h("mark", {}, text) : text];
    }),
  );
}
