// What the server says: requests, the stream of frames, and what is kept of them.

/** The server refused, with its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function answer(response: Response): Promise<any> {
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, said.error ?? `The server said ${response.status}.`);
  return said;
}

export async function get(path: string): Promise<any> {
  return answer(await fetch(path, { credentials: "same-origin" }));
}

export async function post(path: string, body: unknown): Promise<any> {
  return answer(
    await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", "x-taffrail": "console" },
      body: JSON.stringify(body),
    }),
  );
}

/** With which words the server refuses a stream (the browser tells nobody); null: it does not. */
export async function refusal(path: string): Promise<string | null> {
  const given = new AbortController();
  const response = await fetch(path, { credentials: "same-origin", signal: given.signal });
  if (!response.ok) return await answer(response).catch((e) => (e instanceof Refused ? e.message : null));
  // It would be taken now: it is not this one that goes on.
  given.abort();
  return null;
}

export interface Session {
  id: number;
  login: string;
  host: string | null;
  program: string | null;
  status: string;
  database: string | null;
  command: string | null;
  wait: string | null;
  waitMs: number | null;
  resource: string | null;
  blocker: number;
  transactions: number;
  cpuMs: number;
  sinceS: number;
  text: string | null;
}

export interface Database {
  id: number;
  name: string;
  state: string;
  holdup: string | null;
  logKb: number | null;
  usedKb: number | null;
}

export interface Flush {
  number: number;
  database: number;
  /** Unix time of its beginning, s. */
  at: number;
  us: number;
  bytes: number;
  commits: number;
  cause: string;
}

/** A row of sys.dm_os_wait_stats. */
export interface WaitType {
  name: string;
  tasks: number;
  ms: number;
  signalMs: number;
  maxMs: number;
}

/** What is drawn: figures per second between two frames. */
export interface Point {
  at: number;
  cpu: number;
  batches: number;
  transactions: number;
  flushes: number;
  flushBytes: number;
  readBytes: number;
  writeBytes: number;
  /** Writes to files. */
  writes: number;
  /** Pages, by who wrote them, and all. */
  checkpointPages: number;
  backgroundPages: number;
  lazyPages: number;
  pageWrites: number;
  /** ms of waiting per second, by class. */
  waits: Map<string, number>;
}

/** So many seconds are kept and drawn. */
export const KEPT = 180;
const FLUSHES_KEPT = 20_000;

interface Totals {
  at: number;
  cpuMs: number;
  cpus: number;
  ticks: number;
  counters: Map<string, number>;
  waits: Map<string, number>;
  files: number[];
}

export type State = "loading" | "live" | "stale" | "refused";

/** Everything that a page draws from. One for all pages, so that a page that is opened has its past. */
export class Live {
  state: State = "loading";
  trouble = "";
  points: Point[] = [];
  sessions: Session[] = [];
  databases: Database[] = [];
  flushes: Flush[] = [];
  /** The totals of wait types at each of the last frames, the newest last. */
  waitTypes: { at: number; types: WaitType[] }[] = [];
  uptime: number | null = null;
  private last: Totals | null = null;
  private lastFrame = 0;
  private source: EventSource | null = null;
  private listeners = new Set<() => void>();

  constructor(private readonly loggedOut: () => void) {}

  /** Calls back after each change, until the returned function is called. */
  listen(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  start(): void {
    this.source = new EventSource("/api/stream");
    this.source.onmessage = (event) => this.frame(JSON.parse(event.data));
    this.source.onerror = () => void this.failed();
    setInterval(() => {
      if (this.state === "live" && Date.now() - this.lastFrame > 3500) this.change("stale", "The server has not said anything for some seconds.");
    }, 1000);
  }

  private async failed(): Promise<void> {
    // The browser tries again by itself unless it was refused: then somebody has to know why.
    const closed = this.source?.readyState === EventSource.CLOSED;
    if (!closed || this.state !== "refused") this.change("stale", "The connection to the server is gone; trying again.");
    let why: string | null = null;
    try {
      if ((await get("/api/me")).login === null) return this.loggedOut();
      if (closed) why = await refusal("/api/stream");
    } catch {
      // It does not answer: that has been said.
    }
    if (why !== null) this.change("refused", `${why} Trying again.`);
    if (closed) this.again();
  }

  private again(): void {
    setTimeout(() => {
      this.source?.close();
      this.source = new EventSource("/api/stream");
      this.source.onmessage = (event) => this.frame(JSON.parse(event.data));
      this.source.onerror = () => void this.failed();
    }, 2000);
  }

  private change(state: State, trouble = ""): void {
    this.state = state;
    this.trouble = trouble;
    for (const changed of this.listeners) changed();
  }

  private frame(f: any): void {
    this.lastFrame = Date.now();
    if (f.error) return this.change("refused", f.error);
    const at = Date.now() / 1000;
    this.uptime = f.uptime;
    this.databases = f.databases.map(([id, name, state, holdup, logKb, usedKb]: any[]) => ({ id, name, state, holdup, logKb, usedKb }));
    this.sessions = f.sessions.map(
      ([id, login, host, program, status, database, command, wait, waitMs, resource, blocker, transactions, cpuMs, sinceS, text]: any[]) => ({
        id, login, host, program, status, database, command, wait, waitMs, resource, blocker, transactions, cpuMs, sinceS, text,
      }),
    );
    for (const [number, database, ago, us, bytes, commits, cause] of f.flushes) {
      this.flushes.push({ number, database, at: at - ago / 1e6, us, bytes, commits, cause });
    }
    this.flushes = this.flushes.filter((x) => x.at > at - KEPT).slice(-FLUSHES_KEPT);
    const types = f.waitTypes.map(([name, tasks, ms, signalMs, maxMs]: any[]) => ({ name, tasks, ms, signalMs, maxMs }));
    this.waitTypes = [...this.waitTypes, { at, types }].slice(-61);
    const totals: Totals = {
      at,
      cpuMs: f.processor[0],
      cpus: f.processor[1],
      ticks: f.processor[2],
      counters: new Map(f.counters),
      waits: new Map(f.waits),
      files: f.files,
    };
    if (this.last && totals.ticks > this.last.ticks) this.points.push(difference(this.last, totals));
    this.points = this.points.filter((p) => p.at > at - KEPT);
    this.last = totals;
    this.change("live");
  }
}

function difference(a: Totals, b: Totals): Point {
  const s = (b.ticks - a.ticks) / 1000;
  const each = (from: number | undefined, to: number | undefined) => Math.max(0, (to ?? 0) - (from ?? 0)) / s;
  const counter = (name: string) => each(a.counters.get(name), b.counters.get(name));
  const waits = new Map([...b.waits].map(([name, ms]) => [name, each(a.waits.get(name), ms)]));
  return {
    at: b.at,
    cpu: Math.min(100, (each(a.cpuMs, b.cpuMs) / 10) / Math.max(1, b.cpus)),
    batches: counter("Batch Requests/sec"),
    transactions: counter("Transactions/sec"),
    flushes: counter("Log Flushes/sec"),
    flushBytes: counter("Log Bytes Flushed/sec"),
    readBytes: each(a.files[0], b.files[0]),
    writeBytes: each(a.files[1], b.files[1]),
    writes: each(a.files[3], b.files[3]),
    checkpointPages: counter("Checkpoint pages/sec"),
    backgroundPages: counter("Background writer pages/sec"),
    lazyPages: counter("Lazy writes/sec"),
    pageWrites: counter("Page writes/sec"),
    waits,
  };
}
