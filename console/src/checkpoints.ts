// What checkpoints write, how fast, and what a restart would have to do.

import { ask, part } from "./ask";
import { chart, ranges } from "./chart";
import { h, set } from "./dom";
import { showQuery } from "./query";
import type { Live } from "./server";
import { bytes, count, micros, rate } from "./units";

const MB = 1024 * 1024;
const perSecond = (n: number | null) => (n === null ? "–" : `${bytes(n)}/s`);
const size = (sum: number | null, writes: number | null) => (sum !== null && writes ? sum / writes : null);
const pages = (n: number | null) => (n === null ? "–" : `${rate(n)} pages/s`);

export function checkpoints(live: Live): { element: HTMLElement; stop: () => void } {
  const times = () => live.points.map((p) => p.at);
  const charts = [
    chart(live, {
      title: "Pages written",
      unit: pages,
      source: "SQLServer:Buffer Manager",
      query: "counters",
      times,
      lines: [
        { label: "by checkpoints", colour: 1, values: () => live.points.map((p) => p.checkpointPages) },
        { label: "by the background writer", colour: 2, values: () => live.points.map((p) => p.backgroundPages) },
        { label: "to make room", colour: 3, values: () => live.points.map((p) => p.lazyPages) },
        { label: "all", colour: 4, values: () => live.points.map((p) => p.pageWrites) },
      ],
    }),
    chart(live, {
      title: "Written to files",
      unit: perSecond,
      source: "sys.dm_io_virtual_file_stats",
      query: "files",
      binary: true,
      times,
      lines: [
        { label: "data", colour: 1, values: () => live.points.map((p) => p.dataBytes) },
        { label: "log", colour: 2, values: () => live.points.map((p) => p.logBytes) },
      ],
    }),
    chart(live, {
      title: "Size of a write, on average",
      unit: bytes,
      source: "sys.dm_io_virtual_file_stats",
      query: "files",
      binary: true,
      times,
      lines: [
        { label: "data", colour: 1, values: () => live.points.map((p) => size(p.dataBytes, p.dataWrites)) },
        { label: "log", colour: 2, values: () => live.points.map((p) => size(p.logBytes, p.logWrites)) },
      ],
    }),
    chart(live, {
      title: "Commits that wait for the log",
      unit: (n) => (n === null ? "–" : `${rate(n)} ms/s`),
      source: "Log Flush Wait Time, Log Flush Write Time (ms)",
      query: "counters",
      times,
      lines: [
        { label: "waited", colour: 1, values: () => live.points.map((p) => p.flushWaitMs) },
        { label: "flushes took", colour: 2, values: () => live.points.map((p) => p.flushWriteMs) },
      ],
    }),
  ];
  const trouble = h("p", { class: "trouble", role: "alert" });
  const table = (title: string, columns: string[], label: string, query: string, source: string, more?: [string, string]) => {
    const body = h("tbody");
    const note = h("p", { class: "state", role: "status" }, "Loading …");
    const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
    const element = h(
      "section",
      { class: "panel" },
      h("h2", {}, title),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery(query) }, source),
      more && " ",
      more && h("button", { class: "source", type: "button", click: () => void showQuery(more[0]) }, more[1]),
    );
    return { element, body, note };
  };
  const restart = table(
    "What a restart would have to do now",
    ["Database", "Recovery model", "Dirty pages", "Log to go through", "Redo would take", "Target", "Log since the last checkpoint", "Last checkpoint at"],
    "Recovery",
    "recovery",
    "sys.dm_db_log_stats, sys.databases",
    ["estimate", "taffrail.recovery_estimate"],
  );
  const history = table(
    "Checkpoints, the newest first",
    ["Time", "Database", "Asked for by", "Pages", "Written", "Duration", "Rate", "Begins at"],
    "Checkpoints",
    "checkpoints",
    "taffrail.checkpoint_history",
  );
  const number = (text: string) => h("td", { class: "number" }, text);
  const got = (said: any) => {
    const recovery = part(said, "recovery", restart.note);
    const estimates = new Map<number, any[]>((said.estimate ?? []).map((e: any[]) => [e[0], e]));
    set(
      restart.body,
      ...(recovery ?? []).map(([id, name, model, target, since, , , lsn]: any[]) => {
        const [, , dirty, toDo, takes, , measured] = estimates.get(id) ?? [];
        return h(
          "tr",
          {},
          h("td", {}, name),
          h("td", {}, model),
          number(count(dirty ?? null)),
          number(bytes(toDo ?? null)),
          h("td", { class: "number" }, takes === undefined ? "–" : micros(Math.round(Number(takes) * 1e6)), takes === undefined || measured ? null : h("small", {}, "by an assumed rate")),
          number(target ? `${count(target)} s` : "–"),
          number(since === null ? "–" : bytes(since * MB)),
          h("td", {}, h("code", {}, lsn ?? "–")),
        );
      }),
    );
    if (recovery) restart.note.textContent = said.refused?.estimate ?? (recovery.length ? "" : "No database is open.");
    const taken = part(said, "checkpoints", history.note);
    set(
      history.body,
      ...(taken ?? []).map(([at, name, automatic, lsn, written, size, us]: any[]) =>
        h(
          "tr",
          {},
          number(at),
          h("td", {}, name ?? "–"),
          h("td", {}, automatic ? "the server" : "a statement, a backup, start or end"),
          number(count(written)),
          number(bytes(size)),
          number(micros(us)),
          number(us > 0 && size > 0 ? `${bytes((size / us) * 1e6)}/s` : "–"),
          h("td", {}, h("code", {}, lsn ?? "–")),
        ),
      ),
    );
    const many = (taken?.length ?? 0) >= 200;
    if (taken) history.note.textContent = !taken.length ? "None since the start: nothing has changed." : many ? "Only the newest 200 are shown." : "";
  };
  const silent = ask(live, "checkpoints", 2, got, trouble);
  return {
    element: h("div", { class: "page" }, ranges(live), h("div", { class: "charts" }, ...charts.map((c) => c.element)), trouble, restart.element, history.element),
    stop: () => {
      silent();
      charts.forEach((c) => c.stop());
    },
  };
}
