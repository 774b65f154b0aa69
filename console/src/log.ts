// A database's log: its VLFs as a ring, who holds it, each flush, each growth.

import { changes } from "./changes";
import { chart } from "./chart";
import { h, set, svg } from "./dom";
import { showQuery } from "./query";
import { get, Refused, type Live } from "./server";
import { bytes, count, micros } from "./units";

interface Vlf {
  file: number;
  mb: number;
  sequence: number;
  active: boolean;
}

interface LogState {
  vlfs: number;
  active: number;
  mb: number;
  activeMb: number;
  holdup: string;
  minLsn: string | null;
  endLsn: string | null;
  current: number | null;
  sinceCheckpointMb: number | null;
  model: string | null;
}

interface Growth {
  at: string;
  file: string;
  type: string;
  from: number | null;
  to: number | null;
  vlfs: number | null;
  automatic: boolean;
  us: number;
}

/** Why log cannot be reused, in a sentence, and what helps. */
const HOLDUP: Record<string, string> = {
  NOTHING: "Nothing holds it up: there are free VLFs, and checkpoints free more.",
  CHECKPOINT: "A checkpoint frees it: the next one that is taken, or CHECKPOINT.",
  LOG_BACKUP: "The recovery model keeps it until a log backup: BACKUP LOG, or RECOVERY SIMPLE if no log is to be kept.",
  ACTIVE_BACKUP_OR_RESTORE: "A backup or restore that runs needs it.",
  ACTIVE_TRANSACTION: "An open transaction holds it: DBCC OPENTRAN names it.",
  OLDEST_PAGE: "A page that has not been written yet needs it: the next checkpoint writes it.",
};

const MB = 1024 * 1024;

export function log(live: Live): { element: HTMLElement; stop: () => void } {
  let db = Number(sessionStorage.getItem("database")) || 0;
  const select = h("select", { id: "database", change: () => choose(Number(select.value)) });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const cards = h("dl", { class: "cards" });
  const ring = h("div", { class: "ring" });
  const reason = h("p", { class: "reason" });
  const growths = h("tbody");
  const noGrowth = h("p", { class: "state" });
  const ofDatabase = () => live.flushes.filter((f) => f.database === db);
  const sizes = chart(live, {
    title: "Flushes by size",
    unit: bytes,
    binary: true,
    source: "taffrail.flush_history",
    query: "flushes",
    times: () => ofDatabase().map((f) => f.at),
    points: true,
    empty: "No flush in the last three minutes: nobody has committed.",
    lines: [{ label: "each write", colour: 1, values: () => ofDatabase().map((f) => f.bytes) }],
  });
  const durations = chart(live, {
    title: "Flushes by duration",
    unit: micros,
    source: "taffrail.flush_history",
    query: "flushes",
    times: () => ofDatabase().map((f) => f.at),
    points: true,
    empty: "No flush in the last three minutes: nobody has committed.",
    lines: [{ label: "each write", colour: 2, values: () => ofDatabase().map((f) => f.us) }],
  });
  const name = () => live.databases.find((d) => d.id === db)?.name ?? null;
  const explained = changes(name);
  const columns = ["Time", "File", "From", "To", "VLFs", "Why", "Duration"];
  const element = h(
    "div",
    { class: "page" },
    h("div", { class: "row" }, h("label", { for: "database" }, "Database"), select),
    trouble,
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Virtual log files"),
      h("div", { class: "split" }, ring, h("div", {}, cards, reason)),
      h("p", { class: "legend" }, ...[["active", "active"], ["free", "free"], ["head", "the head writes here"]].map(([k, t]) => h("span", {}, h("i", { class: `key ${k}` }), t))),
      h("button", { class: "source", type: "button", click: () => void showQuery("vlfs") }, "sys.dm_db_log_info"),
      " ",
      h("button", { class: "source", type: "button", click: () => void showQuery("log") }, "sys.dm_db_log_stats"),
    ),
    h("div", { class: "charts" }, sizes.element, durations.element),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Growths"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Growths" }, h("table", {}, h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c)))), growths)),
      noGrowth,
      h("button", { class: "source", type: "button", click: () => void showQuery("growths") }, "taffrail.growth_history"),
    ),
    explained.element,
  );

  const choose = (id: number) => {
    if (db && db !== id) explained.changed();
    db = id;
    sessionStorage.setItem("database", String(id));
    set(ring, h("p", { class: "state" }, "Loading …"));
    void refresh();
  };

  let names = "";
  const databases = () => {
    const open = live.databases.filter((d) => d.state === "ONLINE");
    if (!open.length) return;
    const now = JSON.stringify(open.map((d) => [d.id, d.name]));
    if (now !== names) {
      names = now;
      set(select, ...open.map((d) => h("option", { value: d.id }, d.name)));
    }
    if (!open.some((d) => d.id === db)) choose((open.find((d) => d.id > 4) ?? open[0]).id);
    select.value = String(db);
  };

  let asking = false;
  const refresh = async () => {
    if (asking || !db) return;
    asking = true;
    const asked = db;
    try {
      const said = await get(`/api/log/${asked}`);
      if (asked !== db) return;
      trouble.textContent = "";
      show(said);
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
    } finally {
      asking = false;
    }
  };

  const show = (said: any) => {
    if (!said.state) return set(ring, h("p", { class: "state" }, "This database is not open."));
    const [vlfCount, activeCount, mb, activeMb, holdup, minLsn, endLsn, current, sinceCheckpointMb, model] = said.state;
    const state: LogState = { vlfs: vlfCount, active: activeCount, mb, activeMb, holdup, minLsn, endLsn, current, sinceCheckpointMb, model };
    const vlfs: Vlf[] = said.vlfs.map(([file, , size, sequence, status]: any[]) => ({ file, mb: size, sequence, active: status === 2 }));
    set(ring, drawRing(vlfs, state));
    const rows: [string, string][] = [
      ["Size", bytes(state.mb * MB)],
      ["Active", bytes(state.activeMb * MB)],
      ["VLFs", `${count(state.vlfs)}, ${count(state.active)} active`],
      ["Head", state.current === null ? "–" : `VLF ${state.current}`],
      ["Held from (MinLSN)", state.minLsn ?? "–"],
      ["End", state.endLsn ?? "–"],
      ["Since the last checkpoint", state.sinceCheckpointMb === null ? "–" : bytes(state.sinceCheckpointMb * MB)],
      ["Recovery model", state.model ?? "–"],
    ];
    set(cards, ...rows.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v))));
    set(reason, h("b", {}, state.holdup), " ", HOLDUP[state.holdup] ?? "");
    const grown: Growth[] = said.growths.map(([at, file, type, from, to, n, automatic, , us]: any[]) => ({ at, file, type, from, to, vlfs: n, automatic, us }));
    noGrowth.textContent = grown.length ? "" : "No file has grown since the server's start.";
    set(
      growths,
      ...grown.map((g) =>
        h(
          "tr",
          {},
          h("td", {}, g.at),
          h("td", {}, g.file, h("small", {}, g.type === "LOG" ? "log" : "data")),
          h("td", { class: "number" }, bytes(g.from)),
          h("td", { class: "number" }, bytes(g.to)),
          h("td", { class: "number" }, count(g.vlfs)),
          h("td", {}, g.to === null ? "given up" : g.automatic ? "by itself" : "told to"),
          h("td", { class: "number" }, micros(g.us)),
        ),
      ),
    );
  };

  let frames = 0;
  const stopListening = live.listen(() => {
    databases();
    if (frames++ % 2 === 0) void refresh();
  });
  databases();
  void refresh();
  return {
    element,
    stop: () => {
      stopListening();
      sizes.stop();
      durations.stop();
      explained.stop();
    },
  };
}

/** So many arcs can be told apart. */
const ARCS = 360;

interface Arc {
  mb: number;
  vlfs: Vlf[];
  active: boolean;
  head: boolean;
}

/** Neighbours in the same state share an arc where there are too many of them. */
export function arcs(vlfs: Vlf[], current: number | null): Arc[] {
  const merge = vlfs.length > ARCS;
  const all: Arc[] = [];
  for (const vlf of vlfs) {
    const head = vlf.active && vlf.sequence === current;
    const last = all[all.length - 1];
    if (merge && last && last.active === vlf.active && !last.head && !head) {
      last.mb += vlf.mb;
      last.vlfs.push(vlf);
    } else all.push({ mb: vlf.mb, vlfs: [vlf], active: vlf.active, head });
  }
  return all;
}

function drawRing(vlfs: Vlf[], state: LogState): HTMLElement {
  const all = arcs(vlfs, state.current);
  const total = all.reduce((n, a) => n + a.mb, 0) || 1;
  const [middle, radius, width] = [120, 96, 30];
  const point = (turn: number, r: number) => {
    const angle = turn * 2 * Math.PI - Math.PI / 2;
    return `${(middle + r * Math.cos(angle)).toFixed(2)} ${(middle + r * Math.sin(angle)).toFixed(2)}`;
  };
  let from = 0;
  const drawn = all.map((arc) => {
    const share = arc.mb / total;
    const to = from + Math.min(share, 0.9999);
    const big = share > 0.5 ? 1 : 0;
    const [outer, inner] = [radius + width / 2, radius - width / 2];
    const path = `M${point(from, outer)}A${outer} ${outer} 0 ${big} 1 ${point(to, outer)}L${point(to, inner)}A${inner} ${inner} 0 ${big} 0 ${point(from, inner)}Z`;
    from += share;
    const one = arc.vlfs.length === 1;
    const name = one ? `VLF ${arc.vlfs[0].sequence || "never used"}` : `${count(arc.vlfs.length)} VLFs`;
    const what = arc.head ? "the head" : arc.active ? "active" : "free";
    return svg("path", { d: path, class: arc.head ? "vlf head" : arc.active ? "vlf active" : "vlf free" }, svg("title", {}, `${name}: ${bytes(arc.mb * MB)}, ${what}`));
  });
  const label = `${count(state.vlfs)} VLFs, ${count(state.active)} of them active; ${bytes(state.activeMb * MB)} of ${bytes(state.mb * MB)}`;
  const text = (y: number, said: string, kind: string) => svg("text", { x: middle, y, class: kind, "text-anchor": "middle" }, said);
  const drawing = svg(
    "svg",
    { viewBox: "0 0 240 240", role: "img", "aria-label": label },
    ...drawn,
    text(116, bytes(state.activeMb * MB), "big"),
    text(136, `of ${bytes(state.mb * MB)} active`, "small"),
  );
  const element = h("div");
  element.append(drawing);
  if (vlfs.length < state.vlfs) element.append(h("p", { class: "state" }, `Only the first ${count(vlfs.length)} of ${count(state.vlfs)} VLFs are drawn: that many cost time at each start.`));
  return element;
}
