// Backups on a time axis, and how much would be lost: the age of each database's last ones.

import { ask, part } from "./ask";
import { h, set, svg } from "./dom";
import { showQuery } from "./query";
import type { Live } from "./server";
import { bytes, count, seconds } from "./units";

interface Backup {
  id: number;
  database: string;
  type: string;
  start: string;
  /** s since its end. */
  ago: number;
  took: number;
  size: number;
  first: string;
  last: string;
  base: string;
  copyOnly: boolean;
  damaged: boolean;
  file: string | null;
}

const KINDS: Record<string, [string, number]> = { D: ["full", 1], I: ["differential", 2], L: ["log", 3] };
const RUNS: Record<string, string> = { D: "full backup", I: "differential backup", L: "log backup", R: "drill", X: "removal of a file" };
const kind = (type: string) => KINDS[type]?.[0] ?? type;
/** Lanes of the axis: of more databases those that were backed up last. */
const LANES = 12;
const SENT = 500;

function axis(all: Backup[]): Node {
  const names = [...new Set(all.map((b) => b.database))].slice(0, LANES);
  const oldest = Math.max(60, ...all.map((b) => b.ago)) * 1.03;
  const [width, left, lane] = [900, 150, 26];
  const height = names.length * lane;
  const x = (ago: number) => left + (1 - ago / oldest) * (width - left - 12);
  const lanes = names.map((name, i) => {
    const y = i * lane + lane / 2;
    const marks = all
      .filter((b) => b.database === name)
      .reverse()
      .map((b) => {
        const colour = `mark line-${KINDS[b.type]?.[1] ?? 6}`;
        const said = svg("title", {}, `${kind(b.type)}${b.copyOnly ? ", copy only" : ""}, ${b.start}, ${bytes(b.size)}`);
        const at = x(b.ago);
        // Each kind has a form of its own, too.
        if (b.type === "D") return svg("rect", { x: at - 5, y: y - 8, width: 10, height: 16, class: colour }, said);
        if (b.type === "I") return svg("path", { d: `M${at} ${y - 8}L${at + 7} ${y}L${at} ${y + 8}L${at - 7} ${y}Z`, class: colour }, said);
        return svg("circle", { cx: at, cy: y, r: 4, class: colour }, said);
      });
    return svg("g", {}, svg("text", { x: 0, y: y + 4 }, name.length > 22 ? `${name.slice(0, 21)}…` : name), svg("line", { x1: left, x2: width, y1: y, y2: y, class: "lane" }), ...marks);
  });
  const ticks = [0.25, 0.5, 0.75, 1].map((part) => svg("text", { x: x(oldest * part) + 2, y: height + 14, class: "small" }, `${seconds(Math.round(oldest * part))} ago`));
  return svg("svg", { viewBox: `0 0 ${width} ${height + 20}`, role: "img", "aria-label": `${count(all.length)} backups of ${count(names.length)} databases` }, ...lanes, ...ticks);
}

/** A number of minutes in the largest unit that leaves no rest. */
function period(minutes: number): string {
  const units: [number, string, string][] = [
    [1440, "day", "days"],
    [60, "hour", "hours"],
  ];
  const [size, one, many] = units.find(([n]) => minutes % n === 0) ?? [1, "minute", "min"];
  return minutes === size ? one : `${count(minutes / size)} ${many}`;
}

export function backups(live: Live): { element: HTMLElement; stop: () => void } {
  const trouble = h("p", { class: "trouble", role: "alert" });
  const table = (columns: string[], label: string) => {
    const body = h("tbody");
    const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
    return { body, element: h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, h("table", {}, head, body)) };
  };
  const source = (query: string, text: string) => h("button", { class: "source", type: "button", click: () => void showQuery(query) }, text);
  const ages = table(["Database", "Recovery model", "Last full", "Last differential", "Last log", "What would be lost"], "Ages of backups");
  const list = table(["Time", "Database", "Kind", "Size", "Duration", "First LSN", "Last LSN", "On the full backup at", "File"], "Backups");
  const schedule = table(["Database", "Full", "Differential", "Log", "Drill", "Chains kept", "Next"], "Schedule");
  const agesNote = h("p", { class: "state" });
  const scheduleNote = h("p", { class: "state" });
  const runs = table(["Time (UTC)", "Database", "What", "Duration", "File", "Result"], "Runs of the schedule");
  const runsNote = h("p", { class: "state" });
  const picture = h("div", { class: "bars axis", tabindex: 0, role: "region", "aria-label": "Backups in time" });
  const note = h("p", { class: "state", role: "status" }, "Loading …");
  const legend = h("div", { class: "legend" }, ...Object.values(KINDS).map(([name, colour], i) => h("span", {}, h("i", { class: `key line-${colour}` }), `${name} (${["bar", "diamond", "dot"][i]})`)));
  const element = h(
    "div",
    { class: "page" },
    trouble,
    h("section", { class: "panel" }, h("h2", {}, "How old the last backups are"), ages.element, agesNote, source("backupAges", "msdb.dbo.backupset, sys.databases")),
    h("section", { class: "panel", id: "schedule" }, h("h2", {}, "Schedule"), schedule.element, scheduleNote, source("schedule", "msdb.taffrail.backup_schedule")),
    h("section", { class: "panel", id: "runs" }, h("h2", {}, "What the schedule has done, the newest first"), runs.element, runsNote, source("backupRuns", "msdb.taffrail.backup_run")),
    h("section", { class: "panel" }, h("h2", {}, "Backups in time"), legend, picture, note, source("backups", "msdb.dbo.backupset")),
    h("section", { class: "panel" }, h("h2", {}, "Backups, the newest first"), list.element, source("backups", "msdb.dbo.backupset, msdb.dbo.backupmediafamily")),
  );
  const number = (text: string) => h("td", { class: "number" }, text);
  const age = (s: number | null) => number(s === null ? "none" : `${seconds(s)} ago`);
  const lost = (model: string, full: number | null, differential: number | null, log: number | null): string => {
    if (full === null) return "everything: there is no full backup";
    const kept = [full, differential, model === "SIMPLE" ? null : log].filter((n): n is number => n !== null);
    const since = `what came in the last ${seconds(Math.min(...kept))}`;
    return model !== "SIMPLE" && log === null ? `${since}; the log is kept, and never backed up` : since;
  };
  const every = (minutes: number | null) => number(minutes === null ? "–" : `every ${period(minutes)}`);
  /** When the first of a database's kinds is due, by the ages of its last ones. */
  const next = (name: string, kinds: [string, number | null][], of: any[]): string => {
    const [, , full, differential, log] = of.find((a) => a[0] === name) ?? [];
    const last: Record<string, number | null | undefined> = { full, differential: differential ?? full, log: log ?? full };
    const due = kinds.filter(([, m]) => m !== null).map(([kind, m]): [string, number] => [kind, (m as number) * 60 - (last[kind] ?? Infinity)]);
    const first = due.sort((a, b) => a[1] - b[1])[0];
    return !first ? "–" : first[1] <= 0 ? `${first[0]}, now` : `${first[0]} in ${seconds(Math.round(first[1]))}`;
  };
  const drawSchedule = (said: any) => {
    const planned = part(said, "schedule", scheduleNote);
    if (planned) scheduleNote.textContent = planned.length ? "" : "No database has a schedule of its own: EXEC msdb.taffrail.set_backup_schedule @database_name = N'name', @full_minutes = 1440. The settings may have one for all.";
    set(
      schedule.body,
      ...(planned ?? []).map(([name, full, differential, log, keep, drill, , enabled]: any[]) =>
        h(
          "tr",
          { class: enabled ? "" : "sleeps" },
          h("td", {}, name),
          every(full),
          every(differential),
          every(log),
          every(drill),
          number(count(keep)),
          h("td", {}, enabled ? next(name, [["full", full], ["differential", differential], ["log", log]], said.backupAges ?? []) : "turned off"),
        ),
      ),
    );
    const done = part(said, "backupRuns", runsNote);
    if (done) runsNote.textContent = done.length ? "" : "Nothing yet.";
    set(
      runs.body,
      ...(done ?? []).map(([, name, type, started, took, path, removed, error, message]: any[]) => {
        const result = error !== null ? `failed: ${message ?? error}` : took === null ? "goes on" : removed ? `removed by retention, ${removed}` : "done";
        return h(
          "tr",
          { class: error !== null ? "blocks" : removed ? "sleeps" : "" },
          number(started),
          h("td", {}, name),
          h("td", {}, RUNS[type] ?? type),
          number(took === null ? "–" : took ? seconds(took) : "< 1 s"),
          h("td", { class: "statement" }, path ?? "–"),
          h("td", { class: "statement" }, result),
        );
      }),
    );
  };
  const got = (said: any) => {
    drawSchedule(said);
    const old = part(said, "backupAges", agesNote);
    if (old) agesNote.textContent = "";
    set(
      ages.body,
      ...(old ?? []).map(([name, model, full, differential, log]: any[]) =>
        h(
          "tr",
          {},
          h("td", {}, name),
          h("td", {}, model),
          age(full),
          age(differential),
          model === "SIMPLE" ? h("td", {}, "–") : age(log),
          h("td", { class: "statement" }, lost(model, full, differential, log)),
        ),
      ),
    );
    const there = part(said, "backups", note);
    const all: Backup[] = (there ?? []).map(([id, database, type, start, ago, took, size, first, last, base, copyOnly, damaged, file]: any[]) => ({
      id, database, type, start, ago, took, size: Number(size), first: String(first), last: String(last), base: String(base ?? 0), copyOnly, damaged, file,
    }));
    set(picture, all.length ? axis(all) : null);
    if (there) note.textContent = !all.length ? "No backup has been taken: BACKUP DATABASE name TO DISK = 'name.bak'." : all.length >= SENT ? `Only the newest ${count(SENT)} are shown.` : "";
    set(
      list.body,
      ...all.map((b) =>
        h(
          "tr",
          { class: b.damaged ? "blocks" : "" },
          number(b.start),
          h("td", {}, b.database),
          h("td", {}, `${kind(b.type)}${b.copyOnly ? ", copy only" : ""}${b.damaged ? ", damaged" : ""}`),
          number(bytes(b.size)),
          number(b.took ? seconds(b.took) : "< 1 s"),
          h("td", {}, h("code", {}, b.first)),
          h("td", {}, h("code", {}, b.last)),
          h("td", {}, h("code", {}, b.type === "D" || b.base === "0" ? "–" : b.base)),
          h("td", { class: "statement" }, b.file ?? "–"),
        ),
      ),
    );
  };
  return { element, stop: ask(live, "backups", 5, got, trouble) };
}
