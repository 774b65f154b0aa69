// Batches of people's own: sent to a session of this page, and what comes back, kept here as it came.

import { post, Refused } from "./server";

export interface Message {
  number: number;
  severity: number;
  state: number;
  line: number;
  procedure: string | null;
  text: string;
}

export interface Column {
  name: string;
  type: string;
  number: boolean;
}

/** Bytes that a page keeps of what a run sends. A run that sends more is stopped. */
const KEPT = 512 * 1024 * 1024;
/** Bytes of a request that the server takes. */
const SENT = 32 * 1024 * 1024;
const decoder = new TextDecoder();

/** The rows of a result, as the bytes that came: a row is looked at when it is shown. */
export class Rows {
  length = 0;
  /** Cells of which the server has sent only the beginning. */
  readonly cuts: { row: number; column: number; characters: number }[] = [];
  /** Of each row: its piece, where in it it begins and ends. */
  private places = new Uint32Array(3 * 1024);

  constructor(
    readonly columns: Column[],
    private readonly pieces: Uint8Array[],
  ) {}

  add(piece: number, from: number, to: number): void {
    if (3 * this.length + 3 > this.places.length) {
      const more = new Uint32Array(this.places.length * 2);
      more.set(this.places);
      this.places = more;
    }
    this.places.set([piece, from, to], 3 * this.length++);
  }

  row(n: number): (string | null)[] {
    const [piece, from, to] = this.places.subarray(3 * n, 3 * n + 3);
    return JSON.parse(decoder.decode(this.pieces[piece].subarray(from, to)));
  }

  *each(): Generator<(string | null)[]> {
    for (let n = 0; n < this.length; n++) yield this.row(n);
  }

  all(): (string | null)[][] {
    return [...this.each()];
  }
}

export interface Heard {
  columns?: (rows: Rows) => void;
  message?: (message: Message) => void;
  /** A statement's count of rows. */
  count?: (rows: number) => void;
  database?: (name: string) => void;
  /** How many transactions the batch has left open. */
  transactions?: (open: number) => void;
  /** Now and then, while rows come. */
  progress?: () => void;
}

/** A session on the server, opened with its first batch. */
export class QuerySession {
  private readonly id = crypto.randomUUID();
  private open = false;
  private readonly timer: number;
  private readonly gone = () => this.close();
  running = false;

  constructor() {
    // One that is over is forgotten with its timer.
    this.timer = setInterval(() => {
      if (this.open) void post("/api/query/keep", { session: this.id }).catch(() => {});
    }, 60_000);
    addEventListener("pagehide", this.gone);
  }

  /** Ends the session: its transaction is rolled back. */
  close(): void {
    clearInterval(this.timer);
    removeEventListener("pagehide", this.gone);
    if (!this.open) return;
    this.open = false;
    void fetch("/api/query/close", { ...request({ session: this.id }), keepalive: true }).catch(() => {});
  }

  async cancel(): Promise<void> {
    await post("/api/query/cancel", { session: this.id });
  }

  /** Runs a batch: `done`, `cancelled`, or `closed` when the session has ended with it. */
  async run(sql: string, database: string | null, heard: Heard): Promise<string> {
    this.running = true;
    this.open = true;
    try {
      const asked = request({ session: this.id, database, sql });
      const size = new Blob([asked.body as string]).size;
      // The server would break off in the middle of it.
      if (size > SENT) throw new Refused(0, `A batch may have 32 MiB here, this one has ${(size / 2 ** 20).toFixed(1)} MiB. GO divides a script into batches; sqlcmd -i takes longer ones.`);
      const response = await fetch("/api/query", asked);
      if (!response.ok || !response.body) {
        const said = await response.json().catch(() => ({}));
        throw new Refused(response.status, said.error ?? `The server said ${response.status}.`);
      }
      return await this.read(response.body.getReader(), heard);
    } finally {
      this.running = false;
    }
  }

  private async read(reader: ReadableStreamDefaultReader<Uint8Array>, heard: Heard): Promise<string> {
    const pieces: Uint8Array[] = [];
    // A line that has begun; it is put together when its end has come.
    let [rest, kept, end]: [Uint8Array[], number, string] = [[], 0, "closed"];
    let rows: Rows | null = null;
    let transactions = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        heard.transactions?.(transactions);
        return end;
      }
      kept += value.length;
      if (kept > KEPT) {
        await reader.cancel();
        throw new Refused(0, "The page keeps 512 MB of a run's rows: it was stopped there. TOP or a file (bcp, sqlcmd -o) is for more.");
      }
      rest.push(value);
      if (value.indexOf(10) < 0) continue;
      const piece = rest.length === 1 ? value : joined(rest);
      const number = pieces.push(piece) - 1;
      let from = 0;
      for (let to = piece.indexOf(10); to >= 0; to = piece.indexOf(10, from)) {
        if (piece[from] === 91) rows?.add(number, from, to);
        else {
          const said = JSON.parse(decoder.decode(piece.subarray(from, to)));
          if (said.columns) {
            rows = new Rows(said.columns.map(([name, type, number]: any[]) => ({ name, type, number })), pieces);
            heard.columns?.(rows);
          } else if (said.cut) rows?.cuts.push({ row: rows.length, column: said.cut[0], characters: said.cut[1] });
          else if (said.message) {
            const [number, severity, state, line, procedure, text] = said.message;
            heard.message?.({ number, severity, state, line, procedure, text });
          } else if (said.rows !== undefined) heard.count?.(said.rows);
          else if (said.transactions) transactions = said.transactions;
          else if (said.database) heard.database?.(said.database);
          else if (said.end) end = said.end;
        }
        from = to + 1;
      }
      rest = from < piece.length ? [piece.slice(from)] : [];
      heard.progress?.();
    }
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function request(body: unknown): RequestInit {
  return {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", "x-taffrail": "console" },
    body: JSON.stringify(body),
  };
}

/** A batch's results, all of them at once: for what a page asks itself. An error is thrown. */
export async function results(session: QuerySession, sql: string, database: string | null = null): Promise<Rows[]> {
  const all: Rows[] = [];
  let error: Message | null = null;
  const end = await session.run(sql, database, { columns: (rows) => all.push(rows), message: (m) => (error ??= m.severity > 10 ? m : null) });
  if (error) throw new Refused(0, said(error));
  if (end === "cancelled") throw new Refused(0, "Cancelled.");
  return all;
}

/** A message as sqlcmd has it; what PRINT says stands alone. */
export function said(m: Message): string {
  if (m.severity <= 10) return m.text;
  const where = m.procedure ? `, Procedure ${m.procedure}` : "";
  return `Msg ${m.number}, Level ${m.severity}, State ${m.state}${where}, Line ${m.line}\n${m.text}`;
}

/** The batches of a script: GO on a line of its own ends one, with how often it is to run. Not within comments and quotes. */
export function batches(script: string): { sql: string; line: number; times: number }[] {
  const all: { sql: string; line: number; times: number }[] = [];
  let [within, from, first] = ["", 0, 0];
  const lines = script.split("\n");
  const put = (to: number, times: number) => {
    const sql = lines.slice(from, to).join("\n");
    if (sql.trim()) all.push({ sql, line: first, times });
    first = from = to + 1;
  };
  lines.forEach((line, n) => {
    const go = within === "" ? /^\s*go(?:\s+(\d+))?\s*(?:--.*)?$/i.exec(line) : null;
    if (go) return put(n, go[1] === undefined ? 1 : Number(go[1]));
    for (let i = 0; i < line.length; i++) {
      const two = line.slice(i, i + 2);
      if (within === "") {
        if (two === "--") break;
        if (two === "/*") [within, i] = ["/", i + 1];
        else if (line[i] === "'" || line[i] === '"') within = line[i];
        else if (line[i] === "[") within = "]";
      } else if (within.startsWith("/")) {
        // Comments nest.
        if (two === "/*") [within, i] = [`${within}/`, i + 1];
        else if (two === "*/") [within, i] = [within.slice(1), i + 1];
      } else if (line[i] === within) within = "";
    }
  });
  put(lines.length, 1);
  return all;
}
