// What the server says: requests, the stream of frames, and what is kept of them.

/** The server refused, with its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** That of the message, where the server tells it. */
    readonly number = 0,
  ) {
    super(message);
  }
}

async function answer(response: Response): Promise<any> {
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, said.error ?? `The server said ${response.status}.`, said.number);
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
  flushWaits: number;
  /** ms that commits waited for a flush, and ms that flushes took. */
  flushWaitMs: number;
  flushWriteMs: number;
  readBytes: number;
  /** Bytes written and writes, to data files and to logs; null where a login is not shown which is which. */
  dataBytes: number | null;
  logBytes: number | null;
  dataWrites: number | null;
  logWrites: number | null;
  /** Pages, by who wrote them, and all. */
  checkpointPages: number;
  backgroundPages: number;
  lazyPages: number;
  pageWrites: number;
  /** ms of waiting per second, by class. */
  waits: Map<string, number>;
}

/** So many seconds are kept of each second, and of single flushes. */
export const KEPT = 180;
/** An hour is kept of what the server has kept itself: a point each few seconds. */
export const HOUR = 3600;
/** From one of the older points to the next, s. */
const APART = 5;
const FLUSHES_KEPT = 20_000;

interface Totals {
  at: number;
  cpuMs: number;
  cpus: number;
  ticks: number;
  counters: Map<string, number>;
  waits: Map<string, number>;
  /** Bytes read and written, reads, writes, ms, by ROWS and LOG. */
  files: Map<string | null, number[]>;
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
  /** With which words the login is refused a part of the frames, by the name of its statement. */
  refused = new Map<string, string>();
  private last: Totals | null = null;
  private lastFrame = 0;
  private source: EventSource | null = null;
  /** What the server has kept has been asked for since the stream began. */
  private hasPast = false;
  private listeners = new Set<() => void>();

  constructor(private readonly loggedOut: () => void) {}

  /** Calls back after each change, until the returned function is called. */
  listen(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  /** Nothing new has come, and yet the pages are to be drawn anew. */
  redraw(): void {
    this.change(this.state, this.trouble);
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
    this.hasPast = false;
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
    this.refused = new Map(Object.entries(f.refused ?? {}));
    const noWaits = this.refused.get("waitTypes");
    if (noWaits !== undefined) this.refused.set("waits", noWaits);
    for (const [number, database, ago, us, bytes, commits, cause] of f.flushes ?? []) {
      this.flushes.push({ number, database, at: at - ago / 1e6, us, bytes, commits, cause });
    }
    this.flushes = this.flushes.filter((x) => x.at > at - KEPT).slice(-FLUSHES_KEPT);
    const types = (f.waitTypes ?? []).map(([name, tasks, ms, signalMs, maxMs]: any[]) => ({ name, tasks, ms, signalMs, maxMs }));
    this.waitTypes = [...this.waitTypes, { at, types }].slice(-61);
    // Figures are differences over the same seconds: there are all of them or none.
    if (!f.counters || !f.processor || !f.files || !f.waits) return this.change("live");
    const [[cpuMs, cpus, ticks]] = f.processor;
    const totals: Totals = {
      at,
      cpuMs,
      cpus,
      ticks,
      counters: new Map(f.counters),
      waits: new Map(f.waits),
      files: new Map(f.files.map(([type, ...n]: any[]) => [type, n])),
    };
    if (totals.files.has(null)) this.refused.set("files", "Which files are logs is shown to logins with VIEW ANY DEFINITION (sys.master_files).");
    if (this.last && totals.ticks > this.last.ticks) this.points.push(difference(this.last, totals));
    this.points = thinned(this.points, at);
    this.last = totals;
    this.change("live");
    if (!this.hasPast) void this.past(totals.cpus);
  }

  /** Puts the points that the server has kept where this page has none. */
  private async past(cpus: number): Promise<void> {
    this.hasPast = true;
    try {
      const { points } = await get("/api/history");
      const past = pointsOf(points, Date.now() / 1000, cpus);
      // The past tells no more than the present does.
      if (this.last?.files.has(null)) for (const p of past) p.dataBytes = p.logBytes = p.dataWrites = p.logWrites = null;
      this.points = thinned(joined(past, this.points), Date.now() / 1000);
      this.change(this.state, this.trouble);
    } catch {
      // Without it the charts begin now.
    }
  }
}

/** The points that a server has kept, each figure a list. */
export function pointsOf(kept: any, now: number, cpus: number): Point[] {
  return kept.ago.map((ago: number, i: number) => {
    const waits = new Map(Object.entries(kept.waits as Record<string, number[]>).map(([name, all]) => [name, all[i]]));
    const point: any = { at: now - ago, cpu: Math.min(100, kept.cpuMs[i] / 10 / Math.max(1, cpus)), waits };
    for (const [name, all] of Object.entries(kept)) if (Array.isArray(all) && name !== "ago" && name !== "cpuMs") point[name] = all[i];
    return point;
  });
}

/** Those of the past that lie near none of the others, with the others. */
export function joined(past: Point[], own: Point[]): Point[] {
  const near = (at: number) => own.some((p) => Math.abs(p.at - at) < APART);
  const first = own.length ? own[0].at - 1 : Infinity;
  return [...past.filter((p) => p.at < first || !near(p.at)), ...own].sort((a, b) => a.at - b.at);
}

/** Every second of the last minutes, of the hour before a point each few seconds. */
export function thinned(points: Point[], now: number): Point[] {
  let last = -Infinity;
  return points.filter((p) => {
    if (p.at <= now - HOUR) return false;
    if (p.at <= now - KEPT && p.at - last < APART - 0.5) return false;
    last = p.at;
    return true;
  });
}

function difference(a: Totals, b: Totals): Point {
  const s = (b.ticks - a.ticks) / 1000;
  const each = (from: number | undefined, to: number | undefined) => Math.max(0, (to ?? 0) - (from ?? 0)) / s;
  const counter = (name: string) => each(a.counters.get(name), b.counters.get(name));
  const file = (type: string | null, figure: number) => each(a.files.get(type)?.[figure], b.files.get(type)?.[figure]);
  const ofKind = (type: string, figure: number) => (b.files.has(null) ? null : file(type, figure));
  const waits = new Map([...b.waits].map(([name, ms]) => [name, each(a.waits.get(name), ms)]));
  return {
    at: b.at,
    cpu: Math.min(100, (each(a.cpuMs, b.cpuMs) / 10) / Math.max(1, b.cpus)),
    batches: counter("Batch Requests/sec"),
    transactions: counter("Transactions/sec"),
    flushes: counter("Log Flushes/sec"),
    flushBytes: counter("Log Bytes Flushed/sec"),
    flushWaits: counter("Log Flush Waits/sec"),
    flushWaitMs: counter("Log Flush Wait Time"),
    // The server tells this one by the second.
    flushWriteMs: b.counters.get("Log Flush Write Time (ms)") ?? 0,
    readBytes: [...b.files.keys()].reduce((n, type) => n + file(type, 0), 0),
    dataBytes: ofKind("ROWS", 1),
    logBytes: ofKind("LOG", 1),
    dataWrites: ofKind("ROWS", 3),
    logWrites: ofKind("LOG", 3),
    checkpointPages: counter("Checkpoint pages/sec"),
    backgroundPages: counter("Background writer pages/sec"),
    lazyPages: counter("Lazy writes/sec"),
    pageWrites: counter("Page writes/sec"),
    waits,
  };
}
