// What the pages of queries and indexes make of statements and names.

/** Characters of an identifier. */
const NAME = 128;

export interface Index {
  table: string;
  name: string;
  kind: string;
  primary: boolean;
  unique: boolean;
  seeks: number;
  scans: number;
  lookups: number;
  updates: number;
  read: string | null;
  rows: number | null;
  kb: number | null;
}

/** Nothing has read it: what it costs with each change brings nobody anything. A heap and a clustered index are the table itself. */
export function isIdle(index: Pick<Index, "kind" | "seeks" | "scans" | "lookups">): boolean {
  return index.kind === "NONCLUSTERED" && index.seeks + index.scans + index.lookups === 0;
}

/** Names of a list `[a], [b]`, without the brackets. */
function names(list: string | null): string[] {
  return [...(list ?? "").matchAll(/\[((?:[^\]]|\]\])+)\]/g)].map((m) => m[1].replaceAll("]]", "]"));
}

/** The statement that makes an index that is missing. */
export function creates(table: string, equality: string | null, inequality: string | null, included: string | null): string {
  const key = [equality, inequality].filter((list) => list).join(", ");
  const of = names(table).at(-1) ?? "";
  const name = `IX_${[of, ...names(key)].join("_")}`.slice(0, NAME);
  const text = `CREATE INDEX [${name.replaceAll("]", "]]")}]\nON ${table} (${key})`;
  return included ? `${text}\nINCLUDE (${included})` : text;
}

/** What the list is sorted by: how it is called, and the expression. */
export const ORDERS: [string, string][] = [
  ["CPU, all executions", "q.total_worker_time"],
  ["CPU of an execution", "q.total_worker_time / NULLIF(q.execution_count, 0)"],
  ["duration, all executions", "q.total_elapsed_time"],
  ["duration of an execution", "q.total_elapsed_time / NULLIF(q.execution_count, 0)"],
  ["pages read, all executions", "q.total_logical_reads"],
  ["pages read by an execution", "q.total_logical_reads / NULLIF(q.execution_count, 0)"],
  ["pages read from disk", "q.total_physical_reads"],
  ["pages written", "q.total_logical_writes"],
  ["executions", "q.execution_count"],
];

/** A statement on one line, as far as it is told in a list. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** The statement by which the list is asked for: in another order, with or without those that read the system's views. */
export function asked(text: string, order: number, system: boolean): string {
  const by = text.replace("ORDER BY q.total_worker_time", `ORDER BY ${(ORDERS[order] ?? ORDERS[0])[1]}`);
  return system ? by.replace(/^WHERE .*\n/m, "") : by;
}
