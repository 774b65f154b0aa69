// What sessions wait for, by type: in the last seconds or since the start, and what that means.

import { QuerySession, results } from "./batch";
import { h, set } from "./dom";
import { showQuery } from "./query";
import { Refused, type Live, type WaitType } from "./server";
import { count, micros, percent } from "./units";

/** Threads of the server that rest: not waits of anybody. */
const IDLE = new Set([
  "LOGMGR_QUEUE", "DIRTY_PAGE_POLL", "CHECKPOINT_QUEUE", "LAZYWRITER_SLEEP", "SLEEP_TASK", "SLEEP_SYSTEMTASK", "REQUEST_FOR_DEADLOCK_SEARCH",
  "XE_TIMER_EVENT", "XE_DISPATCHER_WAIT", "SQLTRACE_BUFFER_FLUSH", "BROKER_TO_FLUSH", "WAITFOR", "PWAIT_ALL_COMPONENTS_INITIALIZED",
  "HADR_FILESTREAM_IOMGR_IOCOMPLETION", "SP_SERVER_DIAGNOSTICS_SLEEP", "SNI_HTTP_ACCEPT", "DISPATCHER_QUEUE_SEMAPHORE", "SLEEP_DBSTARTUP",
]);

/** What a type means, and the page to look at. The first pattern that fits counts. */
const MEANS: [RegExp, string, string?, string?][] = [
  [/^WRITELOG$/, "Commits wait for the log to reach the disk. Many small transactions: put more into each. Or the writes are slow:", "writes", "Writes"],
  [/^LOGBUFFER$/, "Records come faster than the log is written: all its buffers are full.", "log", "Log"],
  [/^LCK_/, "Somebody else holds a lock. Who blocks whom:", "overview", "Overview"],
  [/^PAGEIOLATCH_/, "Pages are read from, or written to, the disk: more memory, or fewer pages per statement.", "writes", "Writes"],
  [/^PAGELATCH_/, "Many sessions change the same page in memory: the end of an index, or an allocation page."],
  [/^LATCH_/, "Something in memory that only one can change at a time."],
  [/^ASYNC_NETWORK_IO$/, "Clients do not read their results as fast as they come."],
  [/^PREEMPTIVE_OS_WRITEFILE/, "A file grows, and its new part is zeroed: grow it ahead of need.", "events", "Events"],
  [/^PREEMPTIVE_/, "The operating system does something for a session."],
  [/^BACKUP|^ASYNC_IO_COMPLETION/, "A backup or restore reads or writes.", "backups", "Backups"],
  [/^RESOURCE_SEMAPHORE/, "Statements wait for memory."],
  [/^THREADPOOL$/, "There are no threads left for requests."],
  [/^IO_COMPLETION$/, "Something other than a page is read or written."],
];

const PERIODS: [string, string, number][] = [
  ["10", "the last 10 s", 10],
  ["60", "the last 60 s", 60],
  ["all", "since the start", 0],
];

interface Row {
  type: WaitType;
  tasks: number;
  ms: number;
  signalMs: number;
}

/** What came between two samples; since the start, all. */
export function between(from: WaitType[] | null, to: WaitType[], idle: boolean): Row[] {
  const before = new Map((from ?? []).map((t) => [t.name, t]));
  const rows = to
    .filter((t) => idle || !IDLE.has(t.name))
    .map((type) => {
      const old = before.get(type.name);
      // After a clear totals begin anew.
      const since = (now: number, then: number | undefined) => (then !== undefined && now >= then ? now - then : now);
      return { type, tasks: since(type.tasks, old?.tasks), ms: since(type.ms, old?.ms), signalMs: since(type.signalMs, old?.signalMs) };
    });
  return rows.filter((r) => r.tasks > 0 || r.ms > 0).sort((a, b) => b.ms - a.ms || b.tasks - a.tasks);
}

function means(name: string): HTMLElement {
  const [, text, page, title] = MEANS.find((m) => m[0].test(name)) ?? [null, ""];
  return h("span", {}, text, page ? " " : null, page ? h("a", { href: `#${page}` }, title ?? page) : null);
}

export function waits(live: Live): { element: HTMLElement; stop: () => void } {
  const session = new QuerySession();
  let own: { at: number; types: WaitType[] }[] = [];
  const of = h("select", { id: "wait-session", change: () => change() }, h("option", { value: "" }, "everybody"));
  const period = h("select", { id: "period", change: () => draw() }, ...PERIODS.map(([key, title]) => h("option", { value: key }, title)));
  const idle = h("input", { id: "idle", type: "checkbox", change: () => draw() });
  const body = h("tbody");
  const note = h("p", { class: "state", role: "status" });
  const columns = ["Type", "Share", "Waited", "Waits", "Each", "Longest", "To run again", "Means"];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
  const element = h(
    "div",
    { class: "page" },
    h("div", { class: "row" }, h("label", { for: "wait-session" }, "Waits of"), of, h("label", { for: "period" }, "in"), period, h("span", { class: "field" }, idle, h("label", { for: "idle" }, "with threads that rest"))),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "What is waited for, the longest first"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Waits" }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery("waitTypes") }, "sys.dm_os_wait_stats, sys.dm_os_waiting_tasks"),
    ),
  );
  const draw = () => {
    const samples = of.value ? own : live.waitTypes;
    const newest = samples[samples.length - 1];
    const refused = of.value ? undefined : live.refused.get("waitTypes");
    if (!newest || refused) {
      set(body);
      note.textContent = refused ?? "Loading …";
      return;
    }
    const seconds = PERIODS.find((p) => p[0] === period.value)?.[2] ?? 10;
    const from = seconds ? (samples.find((w) => w.at >= newest.at - seconds - 0.5) ?? newest) : null;
    const rows = between(from?.types ?? null, newest.types, idle.checked);
    const total = rows.reduce((n, r) => n + r.ms, 0);
    const known = from ? Math.round(newest.at - from.at) : null;
    note.textContent = rows.length
      ? known !== null && known < seconds ? `Seen for ${count(known)} s so far.` : ""
      : `Nobody has waited${known === null ? "" : ` in the last ${count(known)} s`}.`;
    set(
      body,
      ...rows.map((r) => {
        const share = total ? (r.ms / total) * 100 : 0;
        // One that goes on may be the longest already.
        const now = of.value ? [] : live.sessions.filter((s) => s.wait === r.type.name).map((s) => s.waitMs ?? 0);
        const longest = Math.max(r.type.maxMs, ...now);
        const bar = h("meter", { min: 0, max: 100, value: share.toFixed(1), "aria-label": `${r.type.name}: share of the time waited` });
        return h(
          "tr",
          {},
          h("td", {}, h("code", {}, r.type.name)),
          h("td", { class: "number" }, bar, ` ${percent(share)}`),
          h("td", { class: "number" }, micros(r.ms * 1000)),
          h("td", { class: "number" }, count(r.tasks)),
          h("td", { class: "number" }, r.tasks ? micros((r.ms * 1000) / r.tasks) : "–"),
          h("td", { class: "number" }, micros(longest * 1000)),
          h("td", { class: "number" }, micros(r.signalMs * 1000)),
          h("td", { class: "statement" }, IDLE.has(r.type.name) ? "A thread that rests." : means(r.type.name)),
        );
      }),
    );
  };
  const change = () => {
    own = [];
    draw();
    void ask();
  };
  /** Of one session: asked for while it is wanted. */
  const ask = async () => {
    const id = Number(of.value);
    if (!id || session.running) return;
    try {
      const sql = `SELECT s.wait_type, s.waiting_tasks_count, s.wait_time_ms + ISNULL(t.wait_duration_ms, 0), s.signal_wait_time_ms,
         CASE WHEN t.wait_duration_ms > s.max_wait_time_ms THEN t.wait_duration_ms ELSE s.max_wait_time_ms END
         FROM sys.dm_exec_session_wait_stats s LEFT JOIN sys.dm_os_waiting_tasks t ON t.session_id = s.session_id AND t.wait_type = s.wait_type
         WHERE s.session_id = ${id}`;
      const [rows] = await results(session, sql);
      if (Number(of.value) !== id) return;
      const types = rows.all().map(([name, ...n]) => ({ name: name ?? "", tasks: Number(n[0]), ms: Number(n[1]), signalMs: Number(n[2]), maxMs: Number(n[3]) }));
      own = [...own, { at: Date.now() / 1000, types }].slice(-61);
      draw();
    } catch (e) {
      note.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
    }
  };
  let listed = "";
  const list = () => {
    const all = live.sessions.map((s): [string, string] => [String(s.id), `session ${s.id}, ${s.login}${s.program ? `, ${s.program}` : ""}`]);
    if (of.value && !all.some(([id]) => id === of.value)) all.unshift([of.value, `session ${of.value}, which has gone`]);
    const now = JSON.stringify(all);
    if (now === listed) return;
    listed = now;
    const chosen = of.value;
    set(of, h("option", { value: "" }, "everybody"), ...all.map(([id, text]) => h("option", { value: id, selected: id === chosen }, text)));
  };
  draw();
  list();
  const silent = live.listen(() => {
    list();
    if (of.value) void ask();
    else draw();
  });
  return {
    element,
    stop: () => {
      silent();
      session.close();
    },
  };
}
