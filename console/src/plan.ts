// A plan as a tree: which operator takes its rows from which, and from tables of how many rows.

import { QuerySession, results, type Rows } from "./batch";
import { h } from "./dom";
import { count } from "./units";

interface Node {
  id: number;
  parent: number;
  statement: number;
  /** The statement's text, or the operator's. */
  text: string;
  physical: string | null;
  logical: string | null;
  argument: string | null;
  rows: number | null;
  cost: number | null;
  isStatement: boolean;
  /** What the operator does, where it comes in parts and not as an argument. */
  details?: [string, string][];
}

/** The columns of SHOWPLAN_ALL. */
const IS_PLAN = ["StmtText", "NodeId", "Parent", "PhysicalOp"];

export function isPlan(rows: Rows): boolean {
  const names = new Set(rows.columns.map((c) => c.name));
  return IS_PLAN.every((name) => names.has(name));
}

/** The rows of SHOWPLAN_ALL. */
export function nodes(rows: Rows): Node[] {
  const at = new Map(rows.columns.map((c, i) => [c.name, i]));
  return rows.all().map((row) => {
    const cell = (name: string) => row[at.get(name) ?? -1] ?? null;
    const number = (name: string) => (cell(name) === null ? null : Number(cell(name)));
    return {
      id: number("NodeId") ?? 0,
      parent: number("Parent") ?? 0,
      statement: number("StmtId") ?? 0,
      text: cell("StmtText") ?? "",
      physical: cell("PhysicalOp"),
      logical: cell("LogicalOp"),
      argument: cell("Argument"),
      rows: number("EstimateRows"),
      cost: number("TotalSubtreeCost"),
      isStatement: cell("Type") !== "PLAN_ROW",
    };
  });
}

/** The table of an operator: `[database].[schema].[table]` of its OBJECT. */
export function tableOf(argument: string | null): string | null {
  return /OBJECT:\((\[(?:[^\]]|\]\])+\]\.\[(?:[^\]]|\]\])*\]\.\[(?:[^\]]|\]\])+\])/.exec(argument ?? "")?.[1] ?? null;
}

/** What an operator's argument says: each of `OBJECT:(…)`, `WHERE:(…)`, `HASH:(…)=(…)`, … by itself. */
export function details(argument: string | null): [string, string][] {
  const all: [string, string][] = [];
  const text = argument ?? "";
  let depth = 0;
  let [from, name, ended] = [0, "", 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(" && depth++ === 0) {
      const before = /([A-Z][A-Z ]*):$/.exec(text.slice(0, i));
      name = before?.[1].trim() ?? "";
      from = i + 1;
    } else if (text[i] === ")" && --depth === 0) {
      const last = all[all.length - 1];
      if (name) all.push([name, text.slice(from, i)]);
      else if (last && text.slice(ended, from) === "=(") last[1] += ` = ${text.slice(from, i)}`;
      ended = i + 1;
    }
  }
  return all;
}

function line(node: Node, sizes: Map<string, number>): HTMLElement {
  if (node.isStatement || !node.physical) return h("span", { class: "operator" }, h("code", {}, node.text.trim()));
  const table = tableOf(node.argument);
  const size = table === null ? undefined : sizes.get(table);
  const said = (node.details ?? details(node.argument)).map(([name, text]) => h("small", {}, h("b", {}, name.toLowerCase()), " ", h("code", {}, text)));
  return h(
    "span",
    { class: "operator" },
    h("b", {}, node.physical),
    node.logical && node.logical !== node.physical ? ` (${node.logical})` : null,
    node.rows === null ? null : ` · about ${count(node.rows)} ${node.rows === 1 ? "row" : "rows"}`,
    node.cost === null ? null : ` · cost ${node.cost}`,
    size === undefined ? null : h("span", { class: "muted" }, ` · the table has ${count(size)} ${size === 1 ? "row" : "rows"}`),
    ...said,
  );
}

function branch(node: Node, all: Node[], sizes: Map<string, number>): HTMLElement {
  const below = all.filter((n) => n.parent === node.id && n.statement === node.statement && n.id !== node.id);
  return h("li", {}, line(node, sizes), below.length ? h("ul", {}, ...below.map((n) => branch(n, all, sizes))) : null);
}

/** The elements below one that belong to its operator, and to none below that. */
function own(operator: Element, name: string): Element[] {
  return [...operator.querySelectorAll(name)].filter((e) => e.parentElement?.closest("RelOp") === operator);
}

const scalars = (of: Element) => [...of.querySelectorAll("ScalarOperator")].filter((s) => s.parentElement?.closest("ScalarOperator") === null).map((s) => s.getAttribute("ScalarString") ?? "");
const columns = (of: Element) => [...of.querySelectorAll("ColumnReference")].map((c) => [c.getAttribute("Table"), c.getAttribute("Column")].filter(Boolean).join("."));
const SCANS: Record<string, string> = { EQ: "=", GE: ">=", GT: ">", LE: "<=", LT: "<" };

/** What an operator of a plan's XML does, each part by its name. */
function parts(operator: Element): [string, string][] {
  const all: [string, string][] = [];
  const add = (name: string, of: string[]) => of.length && all.push([name, of.join(", ")]);
  add("object", own(operator, "Object").map((o) => ["Database", "Schema", "Table", "Index"].map((a) => o.getAttribute(a)).filter(Boolean).join(".")));
  const seeks = ["Prefix", "StartRange", "EndRange"].flatMap((name) => own(operator, name));
  add(
    "seek",
    seeks.flatMap((range) => {
      const to = [...range.querySelectorAll("RangeExpressions")].flatMap(scalars);
      return [...range.querySelectorAll("RangeColumns")].flatMap(columns).map((column, i) => `${column} ${SCANS[range.getAttribute("ScanType") ?? ""] ?? "="} ${to[i] ?? "?"}`);
    }),
  );
  add("where", own(operator, "Predicate").flatMap(scalars));
  for (const [name, element] of [["hash", "HashKeysBuild"], ["probe", "HashKeysProbe"], ["residual", "ProbeResidual"], ["group by", "GroupBy"]]) {
    add(name, own(operator, element).flatMap((e) => (element === "ProbeResidual" ? scalars(e) : columns(e))));
  }
  add("order by", own(operator, "OrderByColumn").map((c) => `${columns(c)[0] ?? ""}${["1", "true"].includes(c.getAttribute("Ascending") ?? "1") ? "" : " DESC"}`));
  add("define", own(operator, "DefinedValue").flatMap((d) => {
    const [value] = scalars(d);
    return value === undefined ? [] : [`${columns(d)[0] ?? ""} = ${value}`];
  }));
  return all;
}

/** The statements and operators of a plan's XML, as those of SHOWPLAN_ALL. */
function nodesOfXml(xml: Document): Node[] {
  const all: Node[] = [];
  const nothing = { physical: null, logical: null, argument: null, rows: null, cost: null };
  for (const [n, plan] of [...xml.querySelectorAll("QueryPlan")].entries()) {
    const text = plan.closest("[StatementText]")?.getAttribute("StatementText") ?? "";
    all.push({ ...nothing, id: -1, parent: -2, statement: n, text, isStatement: true });
    for (const e of plan.querySelectorAll("RelOp")) {
      const figure = (name: string) => (e.hasAttribute(name) ? Number(e.getAttribute(name)) : null);
      const above = e.parentElement?.closest("RelOp");
      const of = own(e, "Object").map((o) => ["Database", "Schema", "Table"].map((a) => o.getAttribute(a) ?? "").join("."));
      all.push({
        id: figure("NodeId") ?? 0,
        parent: Number(above?.getAttribute("NodeId") ?? -1),
        statement: n,
        text: "",
        physical: e.getAttribute("PhysicalOp"),
        logical: e.getAttribute("LogicalOp"),
        argument: of.length ? `OBJECT:(${of[0]})` : null,
        rows: figure("EstimateRows"),
        cost: figure("EstimatedTotalSubtreeCost"),
        isStatement: false,
        details: parts(e),
      });
    }
  }
  return all;
}

/** The trees of a plan's XML. */
export function planOfXml(text: string): HTMLElement {
  const xml = new DOMParser().parseFromString(text, "text/xml");
  const all = nodesOfXml(xml);
  return all.length ? trees(all) : h("p", { class: "state" }, "The statement has no plan: it reads no table.");
}

/** The trees of a batch's statements; how many rows their tables have is put in when it is known. */
export function planTree(rows: Rows): HTMLElement {
  return trees(nodes(rows));
}

function trees(all: Node[]): HTMLElement {
  const known = new Set(all.map((n) => `${n.statement} ${n.id}`));
  const roots = all.filter((n) => !known.has(`${n.statement} ${n.parent}`));
  const draw = (sizes: Map<string, number>) => roots.map((n) => h("ul", { class: "plan" }, branch(n, all, sizes)));
  const element = h("div", { class: "plan-view", tabindex: 0, role: "region", "aria-label": "Plan" }, ...draw(new Map()));
  const tables = [...new Set(all.map((n) => tableOf(n.argument)).filter((t): t is string => t !== null))];
  if (tables.length)
    void sizesOf(tables).then(
      (sizes) => element.replaceChildren(...draw(sizes)),
      () => {},
    );
  return element;
}

/** How many rows tables have. */
async function sizesOf(tables: string[]): Promise<Map<string, number>> {
  const asks = new QuerySession();
  const quoted = (text: string) => `N'${text.replaceAll("'", "''")}'`;
  const each = tables.map((table) => {
    const database = /^\[(?:[^\]]|\]\])+\]/.exec(table)?.[0] ?? "";
    return `SELECT ${quoted(table)}, SUM(row_count) FROM ${database}.sys.dm_db_partition_stats WHERE object_id = OBJECT_ID(${quoted(table)}) AND index_id <= 1`;
  });
  try {
    const [found] = await results(asks, each.join("\nUNION ALL\n"));
    return new Map(
      found
        .all()
        .filter((r) => r[1] !== null)
        .map(([table, rows]) => [table ?? "", Number(rows)]),
    );
  } finally {
    asks.close();
  }
}
