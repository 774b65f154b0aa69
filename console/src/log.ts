// A database's log: its VLFs as a ring, who holds it, each flush, each growth.

import { changes } from "./changes";
import { chart } from "./chart";
import { h, set, svg } from "./dom";
import { confirmed, showQuery } from "./query";
import { get, post, Refused, type Flush, type Live } from "./server";
import { openInQuery } from "./statements";
import { bytes, count, extremes, lsnOf, micros, seconds } from "./units";

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

const bracketed = (name: string) => `[${name.replaceAll("]", "]]")}]`;

/** The statement that ends a reason, where there is one. */
const ENDS: Record<string, (name: string) => string> = {
  CHECKPOINT: (name) => `USE ${bracketed(name)}\nCHECKPOINT`,
  OLDEST_PAGE: (name) => `USE ${bracketed(name)}\nCHECKPOINT`,
  LOG_BACKUP: (name) => `BACKUP LOG ${bracketed(name)} TO DISK = N'${name.replaceAll("'", "''")}.trn'`,
};

const MB = 1024 * 1024;

/** The flushes of a database that are drawn, found once for each thing that has come. */
function drawn(live: Live, db: () => number, of: (flush: Flush) => number): () => Flush[] {
  let [from, database, found]: [Flush[] | null, number, Flush[]] = [null, 0, []];
  return () => {
    if (from !== live.flushes || database !== db()) {
      [from, database] = [live.flushes, db()];
      found = extremes(from.filter((f) => f.database === database), of);
    }
    return found;
  };
}

export function log(live: Live): { element: HTMLElement; stop: () => void } {
  let db = Number(sessionStorage.getItem("database")) || 0;
  const select = h("select", { id: "database", change: () => choose(Number(select.value)) });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const cards = h("dl", { class: "cards" });
  const ring = h("div", { class: "ring" });
  const reason = h("p", { class: "reason" });
  const held = h("tbody");
  const holders = ["Session", "Login", "Status", "Began", "Records", "Log", "Begins at", "Statement", "Ended by"];
  const holding = h(
    "div",
    { id: "holders", hidden: true },
    h("h2", {}, "Open transactions that have written to it, the oldest first"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Open transactions" }, h("table", {}, h("thead", {}, h("tr", {}, ...holders.map((c) => h("th", { scope: "col" }, c)))), held)),
    h("button", { class: "source", type: "button", click: () => void showQuery("logHolders") }, "sys.dm_tran_database_transactions"),
  );
  const growths = h("tbody");
  const noGrowth = h("p", { class: "state" });
  const bySize = drawn(live, () => db, (f) => f.bytes);
  const byDuration = drawn(live, () => db, (f) => f.us);
  const sizes = chart(live, {
    title: "Flushes by size",
    unit: bytes,
    binary: true,
    source: "taffrail.flush_history",
    query: "flushes",
    times: () => bySize().map((f) => f.at),
    points: true,
    empty: "No flush in the last three minutes: nobody has committed.",
    lines: [{ label: "each write", colour: 1, values: () => bySize().map((f) => f.bytes) }],
  });
  const durations = chart(live, {
    title: "Flushes by duration",
    unit: micros,
    source: "taffrail.flush_history",
    query: "flushes",
    times: () => byDuration().map((f) => f.at),
    points: true,
    empty: "No flush in the last three minutes: nobody has committed.",
    lines: [{ label: "each write", colour: 2, values: () => byDuration().map((f) => f.us) }],
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
      holding,
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
      if (e instanceof Refused && e.status === 403) {
        set(cards);
        set(ring, h("p", { class: "state" }, "Not shown to this login."));
        set(growths);
        noGrowth.textContent = "";
        drawHolders([]);
      }
    } finally {
      asking = false;
    }
  };

  const show = (said: any) => {
    const refused = said.refused?.state ?? said.refused?.vlfs;
    if (refused) {
      set(cards);
      set(reason);
      reason.dataset.of = "";
      return set(ring, h("p", { class: "state" }, refused));
    }
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
    const own = name();
    const ends = own === null ? undefined : ENDS[state.holdup]?.(own);
    if (reason.dataset.of !== `${own} ${state.holdup}`) {
      reason.dataset.of = `${own} ${state.holdup}`;
      set(reason, h("b", {}, state.holdup), " ", HOLDUP[state.holdup] ?? "", ends && " ", ends && h("button", { type: "button", click: () => openInQuery(ends) }, "Open the statement in Query"));
    }
    trouble.textContent = said.refused?.holders ?? "";
    drawHolders(said.holders ?? []);
    const grown: Growth[] = (said.growths ?? []).map(([at, file, type, from, to, n, automatic, , us]: any[]) => ({ at, file, type, from, to, vlfs: n, automatic, us }));
    noGrowth.textContent = said.refused?.growths ? said.refused.growths : grown.length ? "" : "No file has grown since the server's start.";
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

  const kill = async (id: number, login: string) => {
    if (!(await confirmed(`End session ${id} of ${login}? Its open transaction is rolled back.`, `End session ${id}`))) return;
    try {
      await post("/api/kill", { session: id });
      void refresh();
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : String(e);
    }
  };
  let heldNow = "";
  const drawHolders = (rows: any[]) => {
    const now = JSON.stringify(rows.map(([id, , , status, , , , lsn]: any[]) => [id, status, lsn]));
    holding.hidden = rows.length === 0;
    const times = () => rows.forEach(([, , , , since, records, used]: any[], i: number) => [seconds(since), count(records), bytes(used)].forEach((text, n) => (held.rows[i].cells[3 + n].textContent = text)));
    if (now !== heldNow) {
      heldNow = now;
      set(
        held,
        ...rows.map(([id, login, program, status, , , , lsn, text]: any[], i: number) =>
          h(
            "tr",
            { class: i === 0 ? "blocks" : "" },
            h("td", { class: "number" }, String(id)),
            h("td", {}, login, h("small", {}, program ?? "")),
            h("td", {}, status),
            ...[0, 1, 2].map(() => h("td", { class: "number" })),
            h("td", {}, h("code", {}, lsn === null ? "–" : lsnOf(lsn))),
            h("td", { class: "statement" }, h("code", {}, (text ?? "").trim().slice(0, 160))),
            h("td", {}, h("code", {}, `KILL ${id}`), " ", h("button", { type: "button", "aria-label": `End session ${id}`, click: () => void kill(id, login) }, "End")),
          ),
        ),
      );
    }
    times();
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
