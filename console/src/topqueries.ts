// What has run and what it has cost: statements whose plans the cache holds, one of them with its figures and its plan.

import { QuerySession, results } from "./batch";
import { h, set } from "./dom";
import { planOfXml } from "./plan";
import { showQuery, statement } from "./query";
import { Refused, type Live } from "./server";
import { openInQuery } from "./statements";
import { count, micros, rate } from "./units";
import { asked, oneLine, ORDERS } from "./workload";

/** A figure of all executions: its sum, the last one's, the least, the greatest. */
interface Spread {
  total: number;
  last: number;
  least: number;
  most: number;
}

interface Query {
  /** Plan and place: what tells it from others. */
  key: string;
  plan: string;
  from: string;
  to: string;
  hash: string;
  module: string | null;
  text: string;
  planned: string | null;
  began: string | null;
  executions: number;
  figures: Spread[];
}

/** Figures in the order in which they come: how they are called, and how one is said. */
const FIGURES: [string, (n: number) => string][] = [
  ["CPU", micros],
  ["Duration", micros],
  ["Pages read", few],
  ["Pages read from disk", few],
  ["Pages written", few],
  ["Rows", few],
];

/** Statements that the server sends at most. */
const SENT = 100;
/** s from one look to the next. */
const EVERY = 5;

function few(n: number): string {
  return n < 100 && !Number.isInteger(n) ? rate(n) : count(n);
}

function query(row: (string | null)[]): Query {
  const [plan, from, to, hash, module, text, planned, began, executions, ...figures] = row;
  const spread = (i: number): Spread => {
    const [total, last, least, most] = figures.slice(4 * i, 4 * i + 4).map(Number);
    return { total, last, least, most };
  };
  return {
    key: `${plan} ${from}`,
    plan: plan ?? "", from: from ?? "0", to: to ?? "-1", hash: hash ?? "–", module, text: (text ?? "").trim(), planned, began,
    executions: Math.max(1, Number(executions)),
    figures: FIGURES.map((_, i) => spread(i)),
  };
}

export function topQueries(live: Live): { element: HTMLElement; stop: () => void } {
  const asks = new QuerySession();
  let all: Query[] = [];
  let chosen: Query | null = null;
  const order = h("select", { id: "order", change: () => void refresh() }, ...ORDERS.map(([name], i) => h("option", { value: i }, name)));
  const system = h("input", { id: "system", type: "checkbox", change: () => void refresh() });
  const words = h("input", { id: "words", type: "search", placeholder: "words", size: 20, input: () => draw() });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "state", role: "status" }, "Loading …");
  const body = h("tbody");
  const columns = ["Statement", "Executions", "CPU", "each", "Duration", "each", "Pages read", "each", "Pages written", "Rows each", "Last run"];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
  const one = h("section", { class: "panel", id: "statement", hidden: true });
  const element = h(
    "div",
    { class: "page" },
    h(
      "div",
      { class: "row" },
      h("label", { for: "order" }, "Sorted by"),
      order,
      h("label", { for: "words" }, "with"),
      words,
      h("span", { class: "field" }, system, h("label", { for: "system" }, "also what reads the system's views")),
    ),
    trouble,
    h(
      "section",
      { class: "panel", id: "top" },
      h("h2", {}, "Statements whose plans are in the cache, the most costly first"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Statements" }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery("topQueries") }, "sys.dm_exec_query_stats, sys.dm_exec_sql_text"),
    ),
    one,
  );
  const number = (text: string) => h("td", { class: "number" }, text);

  const draw = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = all.filter((q) => wanted.every((w) => q.text.toLowerCase().includes(w)));
    note.textContent = trouble.textContent
      ? ""
      : !all.length
        ? "Nothing has run yet whose plan is kept."
        : !fits.length
          ? "None fits."
          : all.length >= SENT
            ? `Of the first ${count(SENT)}. Figures begin when a statement is planned, and go with its plan.`
            : "Figures begin when a statement is planned, and go with its plan.";
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    set(
      body,
      ...fits.map((q) => {
        const [cpu, duration, reads, , writes, rows] = q.figures;
        const each = (s: Spread) => s.total / q.executions;
        const open = h("button", { class: "link", type: "button", "data-key": q.key, "aria-expanded": chosen?.key === q.key, click: () => void choose(q) }, h("code", {}, oneLine(q.text)));
        return h(
          "tr",
          { class: chosen?.key === q.key ? "chosen" : "" },
          h("td", { class: "statement" }, open, q.module ? h("small", {}, `of ${q.module}`) : null),
          number(count(q.executions)),
          number(micros(cpu.total)),
          number(micros(each(cpu))),
          number(micros(duration.total)),
          number(micros(each(duration))),
          number(count(reads.total)),
          number(few(each(reads))),
          number(count(writes.total)),
          number(few(each(rows))),
          number(q.began ?? "–"),
        );
      }),
    );
    if (focused) [...body.querySelectorAll<HTMLElement>("[data-key]")].find((b) => b.dataset.key === focused)?.focus();
  };

  const figures = h("tbody");
  const drawFigures = (q: Query) =>
    set(
      figures,
      ...FIGURES.map(([name, said], i) => {
        const { total, last, least, most } = q.figures[i];
        return h("tr", {}, h("th", { scope: "row" }, name), ...[total, total / q.executions, last, least, most].map((n) => number(said(n))));
      }),
    );
  const choose = async (q: Query) => {
    chosen = q;
    const place = h("div", {}, h("p", { class: "state" }, "Loading …"));
    const heads = ["", "All executions", "Each", "The last", "The least", "The most"].map((c) => (c ? h("th", { scope: "col" }, c) : h("td")));
    const cards: [string, string][] = [
      ["Executions", count(q.executions)],
      ["Planned", q.planned ?? "–"],
      ["Last run", q.began ?? "–"],
      ["Hash of the query", q.hash],
    ];
    set(
      one,
      h("div", { class: "row" }, h("h2", {}, q.module ? `A statement of ${q.module}` : "The statement"), h("span", { class: "space" }), h("button", { type: "button", click: () => openInQuery(q.text) }, "Open in Query"), h("button", { type: "button", click: () => close() }, "Close")),
      h("pre", { tabindex: 0, "aria-label": "Text of the statement" }, q.text),
      h("dl", { class: "cards" }, ...cards.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures of the statement" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), figures)),
      h("h2", {}, "The plan that the cache holds"),
      place,
      h("button", { class: "source", type: "button", click: () => void showQuery("queryPlan") }, "sys.dm_exec_text_query_plan"),
    );
    drawFigures(q);
    one.hidden = false;
    draw();
    one.scrollIntoView({ block: "nearest" });
    try {
      const text = (await statement("queryPlan")).replace("@plan", q.plan).replace("@start", q.from).replace("@end", q.to);
      const [found] = await inTurn(text);
      const xml = found?.all()[0]?.[0] ?? null;
      if (chosen?.key !== q.key) return;
      set(place, xml === null ? h("p", { class: "state" }, "The cache has it no more, or its text is encrypted.") : planOfXml(xml));
    } catch (e) {
      set(place, h("p", { class: "trouble" }, e instanceof Refused ? e.message : "The server does not answer."));
    }
  };
  const close = () => {
    const key = chosen?.key;
    chosen = null;
    one.hidden = true;
    draw();
    if (key) [...body.querySelectorAll<HTMLElement>("[data-key]")].find((b) => b.dataset.key === key)?.focus();
  };

  /** The page's session answers one question at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (sql: string) => {
    const next = last.then(() => results(asks, sql));
    last = next.catch(() => {});
    return next;
  };
  let [turn, due] = [0, 0];
  const refresh = async () => {
    const own = ++turn;
    due = Date.now() + EVERY * 1000;
    try {
      const [found] = await inTurn(asked(await statement("topQueries"), Number(order.value), system.checked));
      if (own !== turn) return;
      trouble.textContent = "";
      all = found.all().map(query);
    } catch (e) {
      if (own !== turn) return;
      trouble.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
      all = [];
    }
    draw();
    const same = all.find((q) => q.key === chosen?.key);
    if (same) drawFigures(same);
  };
  void refresh();
  const silent = live.listen(() => {
    if (live.state !== "stale" && Date.now() >= due) void refresh();
  });
  return {
    element,
    stop: () => {
      silent();
      turn++;
      asks.close();
    },
  };
}
