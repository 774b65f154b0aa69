// What the server does now: load, waits by class, sessions and who blocks whom.

import { alerts } from "./alerts";
import { chart, ranges } from "./chart";
import { h, set } from "./dom";
import { confirmed, showQuery } from "./query";
import { post, Refused, type Live, type Session } from "./server";
import { bytes, count, micros, percent, rate, seconds } from "./units";

const perSecond = (n: number | null) => (n === null ? "–" : `${rate(n)}/s`);
const bytesPerSecond = (n: number | null) => (n === null ? "–" : `${bytes(n)}/s`);
const msPerSecond = (n: number | null) => (n === null ? "–" : `${rate(n)} ms/s`);

/** Classes of SQLServer:Wait Statistics that are drawn: the counter's name, and how it is called here. */
const CLASSES: [string, string, number][] = [
  ["Log write waits", "log writes", 1],
  ["Lock waits", "locks", 2],
  ["Page IO latch waits", "page I/O", 3],
  ["Network IO waits", "network", 4],
  ["Page latch waits", "page latches", 5],
  ["Log buffer waits", "log buffers", 6],
];

export function overview(live: Live): { element: HTMLElement; stop: () => void } {
  const times = () => live.points.map((p) => p.at);
  const charts = [
    chart(live, {
      title: "Processor",
      unit: percent,
      max: 100,
      source: "sys.dm_os_sys_info",
      query: "processor",
      times,
      lines: [{ label: "of all cores", colour: 1, values: () => live.points.map((p) => p.cpu) }],
    }),
    chart(live, {
      title: "Batches and transactions",
      unit: perSecond,
      source: "sys.dm_os_performance_counters",
      query: "counters",
      times,
      lines: [
        { label: "batches", colour: 1, values: () => live.points.map((p) => p.batches) },
        { label: "transactions", colour: 2, values: () => live.points.map((p) => p.transactions) },
        { label: "log flushes", colour: 3, values: () => live.points.map((p) => p.flushes) },
      ],
    }),
    chart(live, {
      title: "Waits by class",
      unit: msPerSecond,
      source: "SQLServer:Wait Statistics",
      query: "waits",
      times,
      lines: CLASSES.map(([name, label, colour]) => ({ label, colour, values: () => live.points.map((p) => p.waits.get(name) ?? 0) })),
    }),
    chart(live, {
      title: "File I/O",
      unit: bytesPerSecond,
      source: "sys.dm_io_virtual_file_stats",
      query: "files",
      binary: true,
      times,
      lines: [
        { label: "read", colour: 1, values: () => live.points.map((p) => p.readBytes) },
        { label: "written to data", colour: 2, values: () => live.points.map((p) => p.dataBytes) },
        { label: "written to logs", colour: 3, values: () => live.points.map((p) => p.logBytes) },
      ],
    }),
  ];
  const sessions = table(live);
  const alarmed = alerts(live);
  const element = h("div", { class: "page" }, alarmed.trouble, alarmed.unseen, alarmed.element, ranges(live), h("div", { class: "charts" }, ...charts.map((c) => c.element)), sessions.element);
  return {
    element,
    stop: () => {
      charts.forEach((c) => c.stop());
      sessions.stop();
      alarmed.stop();
    },
  };
}

interface Row {
  session: Session;
  depth: number;
  blocks: number;
}

/** Sessions with those that they block below them: first the heads of chains, the longest chain first. */
export function blockingTree(sessions: Session[]): Row[] {
  const byId = new Map(sessions.map((s) => [s.id, s]));
  const waiters = new Map<number, Session[]>();
  for (const s of sessions) {
    if (s.blocker === 0 || s.blocker === s.id || !byId.has(s.blocker)) continue;
    waiters.set(s.blocker, [...(waiters.get(s.blocker) ?? []), s]);
  }
  const rows: Row[] = [];
  const seen = new Set<number>();
  const below = (id: number, path: Set<number>): number =>
    (waiters.get(id) ?? []).reduce((n, w) => (path.has(w.id) ? n : n + 1 + below(w.id, new Set([...path, w.id]))), 0);
  const put = (session: Session, depth: number) => {
    if (seen.has(session.id)) return;
    seen.add(session.id);
    rows.push({ session, depth, blocks: below(session.id, new Set([session.id])) });
    for (const w of waiters.get(session.id) ?? []) put(w, depth + 1);
  };
  const waits = (s: Session) => s.blocker !== 0 && byId.has(s.blocker) && s.blocker !== s.id;
  const heads = sessions.filter((s) => !waits(s));
  const weight = (s: Session) => below(s.id, new Set([s.id]));
  heads.sort((a, b) => weight(b) - weight(a) || Number(b.status !== "sleeping") - Number(a.status !== "sleeping") || a.id - b.id);
  heads.forEach((s) => put(s, 0));
  // In a cycle, which the lock monitor is about to end, nobody is a head.
  sessions.forEach((s) => put(s, 0));
  return rows;
}

function table(live: Live): { element: HTMLElement; stop: () => void } {
  const body = h("tbody");
  const note = h("p", { class: "state" });
  const said = h("p", { class: "trouble", role: "alert" });
  const summary = h("span", { class: "muted" });
  const columns = ["Session", "Login", "Database", "Status", "Waits for", "Since", "Open tran.", "CPU", "Statement", ""];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td")))));
  const source = h("button", { class: "source", type: "button", click: () => void showQuery("sessions") }, "sys.dm_exec_sessions, sys.dm_exec_requests");
  const element = h(
    "section",
    { class: "panel" },
    h("h2", {}, "Sessions ", summary),
    said,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Sessions" }, h("table", {}, head, body)),
    note,
    source,
  );
  const kill = async (s: Session) => {
    const what = `End session ${s.id} of ${s.login}${s.program ? ` (${s.program})` : ""}? Its open transaction is rolled back.`;
    if (!(await confirmed(what, `End session ${s.id}`))) return;
    said.textContent = "";
    try {
      await post("/api/kill", { session: s.id });
    } catch (e) {
      said.textContent = e instanceof Refused ? e.message : String(e);
    }
  };
  let shown = "";
  const draw = () => {
    const rows = blockingTree(live.sessions);
    const blocked = live.sessions.filter((s) => s.blocker !== 0).length;
    const running = live.sessions.filter((s) => s.status !== "sleeping").length;
    summary.textContent = `${live.refused.has("sessions") ? "of this login: " : ""}${count(live.sessions.length)}, ${count(running)} at work, ${count(blocked)} blocked`;
    note.textContent =
      live.refused.get("sessions") ?? (live.state === "loading" ? "Loading …" : rows.length === 0 ? "Nobody is connected." : rows.length >= 500 ? "Only the first 500 sessions are shown." : "");
    // A row that stays is not made anew under somebody's pointer or focus.
    const now = JSON.stringify(rows.map(({ session: s, depth }) => [s.id, depth, s.status, s.blocker, s.wait, s.text, s.transactions]));
    if (now === shown && body.childElementCount) {
      rows.forEach((r, i) => times(body.rows[i], r.session));
      return;
    }
    shown = now;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.kill : undefined;
    set(
      body,
      ...rows.map(({ session: s, depth, blocks }) => {
        const name = h("td", { class: `number depth depth-${Math.min(depth, 6)}` }, depth > 0 ? "↳ " : "", String(s.id));
        const row = h(
          "tr",
          { class: s.blocker ? "blocked" : blocks ? "blocks" : s.status === "sleeping" ? "sleeps" : "" },
          name,
          h("td", {}, s.login, h("small", {}, [s.program, s.host].filter(Boolean).join(" · "))),
          h("td", {}, s.database ?? "–"),
          h("td", {}, blocks ? `${s.status}, blocks ${count(blocks)}` : s.status, s.command ? h("small", {}, s.command) : null),
          h("td", {}, s.wait ?? "–", s.blocker ? h("small", { class: "wraps" }, `session ${s.blocker}${s.resource ? `, ${s.resource}` : ""}`) : null),
          h("td", { class: "number" }),
          h("td", { class: "number" }, count(s.transactions)),
          h("td", { class: "number" }),
          h("td", { class: "statement", title: s.text ?? "" }, h("code", {}, (s.text ?? "").trim().slice(0, 160))),
          h("td", {}, h("button", { type: "button", "data-kill": s.id, "aria-label": `End session ${s.id}`, click: () => void kill(s) }, "End")),
        );
        times(row, s);
        return row;
      }),
    );
    if (focused) body.querySelector<HTMLElement>(`[data-kill="${focused}"]`)?.focus();
  };
  const times = (row: HTMLTableRowElement, s: Session) => {
    row.cells[5].textContent = s.wait && s.waitMs !== null ? micros(s.waitMs * 1000) : seconds(s.sinceS);
    row.cells[7].textContent = micros(s.cpuMs * 1000);
  };
  const stop = live.listen(draw);
  draw();
  return { element, stop };
}
