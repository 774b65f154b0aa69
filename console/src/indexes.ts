// Which indexes are used, which nobody reads, and which plans would have used.

import { ask, part } from "./ask";
import { QuerySession, results } from "./batch";
import { h, set } from "./dom";
import { showQuery, statement } from "./query";
import { Refused, type Live } from "./server";
import { openInQuery } from "./statements";
import { bytes, count, percent, rate } from "./units";
import { creates, isIdle, type Index } from "./workload";

/** Indexes that the server sends at most. */
const SENT = 2000;
/** s from one look to the next. */
const EVERY = 5;

const number = (text: string) => h("td", { class: "number" }, text);

function panel(id: string, title: string, columns: string[], query: string, source: string) {
  const body = h("tbody");
  const note = h("p", { class: "state", role: "status" }, "Loading …");
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td")))));
  const element = h(
    "section",
    { class: "panel", id },
    h("h2", {}, title),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, h("table", {}, head, body)),
    note,
    h("button", { class: "source", type: "button", click: () => void showQuery(query) }, source),
  );
  return { element, body, note };
}

function missing(live: Live) {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const list = panel(
    "missing",
    "Indexes that plans would have used, those first that would have saved most",
    ["Table", "Index", "Times", "Cost of a plan", "It would save", "All in all", "Last wanted", ""],
    "missingIndexes",
    "sys.dm_db_missing_index_details, sys.dm_db_missing_index_group_stats",
  );
  let shown = "";
  const got = (said: any) => {
    const all = part(said, "missingIndexes", list.note);
    const now = JSON.stringify(all);
    if (now === shown) return;
    shown = now;
    if (all) list.note.textContent = all.length ? "What an index would cost with each change is not in these figures." : "None: no plan has wanted an index that is not there.";
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.text : undefined;
    set(
      list.body,
      ...(all ?? []).map(([table, equality, inequality, included, times, cost, impact, saved, last]: any[]) => {
        const text = creates(table, equality, inequality, included);
        return h(
          "tr",
          {},
          h("td", {}, table),
          h("td", { class: "statement" }, h("code", {}, text)),
          number(count(times)),
          number(rate(cost)),
          number(percent(impact)),
          number(rate(saved)),
          number(last ?? "–"),
          h("td", {}, h("button", { type: "button", "data-text": text, "aria-label": `Open in Query: ${text}`, click: () => openInQuery(text) }, "Open in Query")),
        );
      }),
    );
    if (focused) [...list.body.querySelectorAll<HTMLElement>("[data-text]")].find((b) => b.dataset.text === focused)?.focus();
  };
  return { trouble, element: list.element, stop: ask(live, "missing", EVERY, got, trouble) };
}

function index([schema, table, name, kind, primary, unique, seeks, scans, lookups, updates, read, rows, kb]: (string | null)[]): Index {
  return {
    table: `${schema}.${table}`, name: name ?? "", kind: kind ?? "", primary: primary === "1", unique: unique === "1",
    seeks: Number(seeks), scans: Number(scans), lookups: Number(lookups), updates: Number(updates),
    read, rows: rows === null ? null : Number(rows), kb: kb === null ? null : Number(kb),
  };
}

export function indexes(live: Live): { element: HTMLElement; stop: () => void } {
  const asks = new QuerySession();
  let all: Index[] = [];
  let database = "";
  const select = h("select", { id: "index-database", change: () => choose(select.value) });
  const words = h("input", { id: "index-words", type: "search", placeholder: "part of a name", size: 20, input: () => draw() });
  const idle = h("input", { id: "idle-only", type: "checkbox", change: () => draw() });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const use = panel(
    "use",
    "Use of indexes since the database was opened",
    ["Table", "Index", "Kind", "Seeks", "Scans", "Lookups", "Changes", "Last read", "Rows", "Room"],
    "indexUse",
    "sys.dm_db_index_usage_stats, sys.indexes",
  );
  const wanted = missing(live);
  const element = h(
    "div",
    { class: "page" },
    h(
      "div",
      { class: "row" },
      h("label", { for: "index-database" }, "Database"),
      select,
      h("label", { for: "index-words" }, "with"),
      words,
      h("span", { class: "field" }, idle, h("label", { for: "idle-only" }, "only those that nothing has read")),
    ),
    trouble,
    use.element,
    wanted.trouble,
    wanted.element,
  );
  const draw = () => {
    const part = words.value.trim().toLowerCase();
    const fits = all.filter((i) => `${i.table} ${i.name}`.toLowerCase().includes(part) && (!idle.checked || isIdle(i)));
    const unread = all.filter(isIdle);
    const room = unread.reduce((n, i) => n + (i.kb ?? 0), 0);
    use.note.textContent = !all.length
      ? trouble.textContent
        ? ""
        : "There is no table in it, or none that this login may see."
      : !fits.length
        ? "None fits."
        : [
              unread.length ? `${count(unread.length)} ${unread.length === 1 ? "index that nothing has read takes" : "indexes that nothing has read take"} ${unread.some((i) => i.kb === null) ? "room that is not shown" : bytes(room * 1024)}.` : "Each index has been read.",
              all.length >= SENT ? `Only the first ${count(SENT)} are shown.` : "",
            ].join(" ");
    set(
      use.body,
      ...fits.map((i, n) => {
        const nobody = isIdle(i);
        const keeps = i.primary ? "primary key" : i.unique ? "unique" : "";
        return h(
          "tr",
          { class: nobody ? "idle" : n > 0 && fits[n - 1].table !== i.table ? "first" : "" },
          h("td", {}, n > 0 && fits[n - 1].table === i.table ? h("span", { class: "hidden" }, i.table) : i.table),
          h("td", {}, i.name, nobody ? h("small", {}, keeps ? `nothing has read it; it keeps values unique` : "nothing has read it") : null),
          h("td", {}, `${i.kind.toLowerCase()}${keeps ? `, ${keeps}` : ""}`),
          ...[i.seeks, i.scans, i.lookups, i.updates].map((times) => number(count(times))),
          number(i.read ?? "–"),
          number(count(i.rows)),
          number(i.kb === null ? "–" : bytes(i.kb * 1024)),
        );
      }),
    );
  };
  let [asking, due] = [false, 0];
  const refresh = async () => {
    if (asking || !database) return;
    asking = true;
    due = Date.now() + EVERY * 1000;
    const of = database;
    const failed = (e: unknown) => (e instanceof Refused ? e.message : "The server does not answer; trying again.");
    const found = async (name: string) => (await results(asks, await statement(name), of))[0].all().map(index);
    let [rows, why]: [Index[], string] = [[], ""];
    try {
      // Where only rows and room are refused, that is told, and all else shown.
      rows = await found("indexUse").catch((e) => ((why = failed(e)), found("indexUseUnsized")));
    } catch (e) {
      why = failed(e);
    } finally {
      asking = false;
    }
    if (of !== database) return void refresh();
    [all, trouble.textContent] = [rows, why];
    draw();
  };
  const choose = (name: string) => {
    database = select.value = name;
    use.note.textContent = "Loading …";
    set(use.body);
    void refresh();
  };
  let listed = "";
  const list = () => {
    const open = live.databases.filter((d) => d.state === "ONLINE");
    const now = open.map((d) => d.name).join("\n");
    if (now !== listed) {
      listed = now;
      set(select, ...open.map((d) => h("option", { value: d.name, selected: d.name === database }, d.name)));
    }
    if (open.length && !open.some((d) => d.name === database)) choose((open.find((d) => d.id > 4) ?? open[0]).name);
  };
  list();
  const silent = live.listen(() => {
    list();
    if (live.state !== "stale" && Date.now() >= due) void refresh();
  });
  return {
    element,
    stop: () => {
      silent();
      wanted.stop();
      asks.close();
    },
  };
}
