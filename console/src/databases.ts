// Databases, the tables of one of them, the columns and indexes of a table.

import { ask, part } from "./ask";
import { QuerySession, results } from "./batch";
import { h, set } from "./dom";
import { showQuery, statement } from "./query";
import { Refused, type Live } from "./server";
import { openInQuery } from "./statements";
import { bytes, count, typeOf } from "./units";

const KINDS: Record<string, string> = {
  U: "table",
  V: "view",
  P: "procedure",
  FN: "function",
  IF: "function",
  TF: "function",
  TR: "trigger",
};
/** Objects that the server sends at most. */
const SENT = 2000;

const bracketed = (name: string) => `[${name.replaceAll("]", "]]")}]`;
const kb = (n: number | null) => (n === null ? "–" : bytes(n * 1024));
const number = (text: string) => h("td", { class: "number" }, text);

function table(id: string, title: string, columns: string[], query: string, source: string) {
  const body = h("tbody");
  const note = h("p", { class: "state", role: "status" }, "Loading …");
  const heading = h("h2", {}, title);
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td")))));
  const element = h(
    "section",
    { class: "panel", id },
    heading,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", {}, head, body)),
    note,
    h("button", { class: "source", type: "button", click: () => void showQuery(query) }, source),
  );
  return { element, body, note, heading };
}

export function databases(live: Live): { element: HTMLElement; stop: () => void } {
  let chosen = "";
  const asks = new QuerySession();
  const trouble = h("p", { class: "trouble", role: "alert" });
  const list = table(
    "databases",
    "Databases",
    ["Name", "State", "Recovery model", "Data", "Log", "Sessions", "Log waits for", "Collation", "Made"],
    "databaseList",
    "sys.databases, sys.master_files",
  );
  const tables = table(
    "objects",
    "Objects",
    ["Name", "Kind", "Rows", "Room", "Indexes", "Changed", ""],
    "tables",
    "sys.objects, sys.dm_db_partition_stats",
  );
  const columns = table("columns", "Columns", ["Column", "Type", "NULL", "Default", ""], "columns", "sys.columns");
  const indexes = table(
    "indexes",
    "Indexes",
    ["Index", "Kind", "Key", "Included", "Rows", "Room"],
    "indexes",
    "sys.indexes, sys.index_columns",
  );
  const words = h("input", { id: "object-words", type: "search", placeholder: "part of a name", size: 20, input: () => drawTables() });
  tables.heading.after(h("div", { class: "row" }, h("label", { for: "object-words" }, "With"), words));
  tables.element.hidden = columns.element.hidden = indexes.element.hidden = true;
  let objects: (string | null)[][] = [];

  const failed = (e: unknown) => void (trouble.textContent = e instanceof Refused ? e.message : "The server does not answer.");
  const rows = async (name: string, database: string, object?: string) => {
    const text = await statement(name);
    const [found] = await results(asks, object === undefined ? text : text.replaceAll("@object", object), database);
    return found.all();
  };
  /** The same; where the sizes are refused, that is told, and all else shown. */
  const sized = async (name: string, database: string, object?: string) => {
    try {
      return await rows(name, database, object);
    } catch (e) {
      const less = await rows(`${name}Unsized`, database, object);
      failed(e);
      return less;
    }
  };

  const open = async (database: string) => {
    [chosen, words.value] = [database, ""];
    columns.element.hidden = indexes.element.hidden = true;
    tables.element.hidden = false;
    tables.heading.textContent = `Objects of ${database}`;
    tables.note.textContent = "Loading …";
    set(tables.body);
    trouble.textContent = "";
    try {
      objects = await sized("tables", database);
      if (chosen === database) drawTables();
    } catch (e) {
      tables.note.textContent = "";
      failed(e);
    }
  };
  const drawTables = () => {
    const wanted = words.value.trim().toLowerCase();
    const fits = objects.filter(([, schema, name]) => `${schema}.${name}`.toLowerCase().includes(wanted));
    tables.note.textContent = !objects.length
      ? "There is nothing in it, or nothing that this login may see."
      : objects.length >= SENT
        ? `Only the first ${count(SENT)} are shown.`
        : fits.length
          ? ""
          : "None fits.";
    set(
      tables.body,
      ...fits.map(([id, schema, name, type, n, room, indexed, changed]) => {
        const whole = `${schema}.${name}`;
        const from = `${bracketed(schema ?? "")}.${bracketed(name ?? "")}`;
        const look = () => openInQuery(`USE ${bracketed(chosen)}\nSELECT TOP (100) * FROM ${from}`);
        const has = type === "U" || type === "V";
        return h(
          "tr",
          {},
          h("td", {}, has ? h("button", { class: "link", type: "button", click: () => void openObject(id ?? "", whole) }, whole) : whole),
          h("td", {}, KINDS[type ?? ""] ?? type ?? ""),
          number(n === null ? "–" : count(Number(n))),
          number(kb(room === null ? null : Number(room))),
          number(type === "U" ? count(Number(indexed)) : "–"),
          number(changed ?? "–"),
          h("td", {}, has ? h("button", { type: "button", "aria-label": `First rows of ${whole}`, click: look }, "Rows") : null),
        );
      }),
    );
  };

  const openObject = async (id: string, whole: string) => {
    const of = chosen;
    trouble.textContent = "";
    try {
      const [of_columns, of_indexes] = [await rows("columns", of, id), await sized("indexes", of, id)];
      if (of !== chosen) return;
      columns.element.hidden = indexes.element.hidden = false;
      columns.heading.textContent = `Columns of ${whole}`;
      indexes.heading.textContent = `Indexes of ${whole}`;
      columns.note.textContent = "";
      set(
        columns.body,
        ...of_columns.map(([, name, type, length, precision, scale, nullable, identity, computed, preset]) =>
          h(
            "tr",
            {},
            h("td", {}, name ?? ""),
            h("td", {}, h("code", {}, typeOf(type ?? "", Number(length), Number(precision), Number(scale)))),
            h("td", {}, nullable === "1" ? "yes" : "no"),
            h("td", {}, preset ? h("code", {}, preset) : "–"),
            h("td", {}, identity === "1" ? "IDENTITY" : computed === "1" ? "computed" : ""),
          ),
        ),
      );
      drawIndexes(of_indexes);
      columns.element.scrollIntoView({ block: "nearest" });
    } catch (e) {
      failed(e);
    }
  };
  const drawIndexes = (found: (string | null)[][]) => {
    const all = new Map<string, { row: (string | null)[]; key: string[]; included: string[] }>();
    for (const row of found) {
      const entry = all.get(row[0] ?? "") ?? { row, key: [], included: [] };
      all.set(row[0] ?? "", entry);
      if (row[7]) (row[8] === "1" ? entry.included : entry.key).push(`${row[7]}${row[9] === "1" ? " DESC" : ""}`);
    }
    indexes.note.textContent = all.size ? "" : "None.";
    set(
      indexes.body,
      ...[...all.values()].map(({ row: [, name, kind, primary, unique, n, room], key, included }) =>
        h(
          "tr",
          {},
          h("td", {}, name ?? ""),
          h("td", {}, `${(kind ?? "").toLowerCase()}${primary === "1" ? ", primary key" : unique === "1" ? ", unique" : ""}`),
          h("td", {}, key.join(", ") || "–"),
          h("td", {}, included.join(", ") || "–"),
          number(n === null ? "–" : count(Number(n))),
          number(kb(room === null ? null : Number(room))),
        ),
      ),
    );
  };

  let shown = "";
  const got = (said: any) => {
    const all = part(said, "databaseList", list.note);
    const now = JSON.stringify(all);
    if (!all || now === shown) return;
    shown = now;
    // Columns that are null of every database are hidden from this login.
    const hidden = [["sizes of files", 7], ["sessions", 9]].filter(([, at]) => all.length && all.every((d) => d[at as number] === null));
    list.note.textContent = hidden.length ? `Not shown to this login: ${hidden.map(([what]) => what).join(", ")}.` : "";
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.database : undefined;
    set(
      list.body,
      ...all.map(([, name, state, model, made, collation, holdup, data, log, sessions]: any[]) => {
        const online = state === "ONLINE";
        return h(
          "tr",
          { class: online ? "" : "blocks" },
          h(
            "td",
            {},
            online ? h("button", { class: "link", type: "button", "data-database": name, click: () => void open(name) }, name) : name,
          ),
          h("td", {}, state),
          h("td", {}, model),
          number(kb(data)),
          number(kb(log)),
          number(count(sessions)),
          h("td", {}, holdup ?? "–"),
          h("td", {}, collation ?? "–"),
          number(made ?? "–"),
        );
      }),
    );
    if (focused) [...list.body.querySelectorAll<HTMLElement>("[data-database]")].find((b) => b.dataset.database === focused)?.focus();
  };
  const silent = ask(live, "databases", 3, got, trouble);
  return {
    element: h(
      "div",
      { class: "page" },
      trouble,
      list.element,
      tables.element,
      h("div", { class: "charts" }, columns.element, indexes.element),
    ),
    stop: () => {
      silent();
      asks.close();
    },
  };
}
