// Reads and writes of each file: how much, how large, how slow.

import { ask, part } from "./ask";
import { h, set } from "./dom";
import { showQuery } from "./query";
import type { Live } from "./server";
import { bytes, count, micros, rate } from "./units";

interface File {
  name: string;
  kind: string | null;
  size: number;
  /** Reads, bytes of them, ms of them; the same of writes. */
  figures: number[];
}

interface Sample {
  /** The server's clock, ms. */
  ticks: number;
  files: Map<string, File>;
}

/** Samples to look back: a rate is that of the last ten seconds or so. */
const KEPT = 6;

/** What a file did between two samples: per second. */
export function rates(before: Sample | undefined, now: Sample, key: string): number[] | null {
  const [a, b] = [before?.files.get(key), now.files.get(key)];
  const s = before ? (now.ticks - before.ticks) / 1000 : 0;
  return a && b && s > 0 ? b.figures.map((n, i) => Math.max(0, n - a.figures[i]) / s) : null;
}

export function files(live: Live): { element: HTMLElement; stop: () => void } {
  let samples: Sample[] = [];
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "state", role: "status" }, "Loading …");
  const body = h("tbody");
  const columns = ["File", "Kind", "Size", "Written", "Writes", "KB a write", "ms a write", "Read", "Reads", "KB a read", "ms a read"];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
  const element = h(
    "section",
    { class: "panel", id: "file-io" },
    h("h2", {}, "I/O of each file, in the last ten seconds"),
    trouble,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "I/O of each file" }, h("table", {}, head, body)),
    note,
    h("button", { class: "source", type: "button", click: () => void showQuery("fileIo") }, "sys.dm_io_virtual_file_stats"),
  );
  const number = (text: string) => h("td", { class: "number" }, text);
  const got = (said: any) => {
    const all = new Map<string, File>();
    const told = part(said, "fileIo", note);
    if (!told) return set(body);
    for (const [database, file, kind, size, ...figures] of told) {
      all.set(`${database ?? "–"}.${file}`, { name: `${database ?? "–"}.${file}`, kind, size: Number(size), figures: figures.slice(0, 6).map(Number) });
    }
    const ticks = Number(told[0]?.[10] ?? 0);
    if (samples.length && samples[samples.length - 1].ticks === ticks) return;
    samples = [...samples, { ticks, files: all }].slice(-KEPT);
    const [first, last] = [samples.length > 1 ? samples[0] : undefined, samples[samples.length - 1]];
    const rows = [...all.entries()].map(([key, file]) => ({ file, rate: rates(first, last, key) }));
    // Who does most stands on top; who does nothing is left in its order.
    rows.sort((a, b) => (b.rate ? b.rate[1] + b.rate[4] : 0) - (a.rate ? a.rate[1] + a.rate[4] : 0));
    const half = (of: number[] | null, [n, sum, ms]: [number, number, number]) => {
      const some = of && of[n] > 0;
      return [
        number(of ? `${bytes(of[sum])}/s` : "–"),
        number(of ? `${rate(of[n])}/s` : "–"),
        number(some ? rate(of[sum] / of[n] / 1024) : "–"),
        number(some ? micros((of[ms] / of[n]) * 1000) : "–"),
      ];
    };
    note.textContent = !all.size
      ? "No file is open."
      : first
        ? all.size >= 200
          ? `Only the first ${count(200)} files are shown.`
          : (live.refused.get("files") ?? "")
        : "Waiting for two samples …";
    set(
      body,
      ...rows.map(({ file, rate: of }) =>
        h(
          "tr",
          {},
          h("td", {}, file.name),
          h("td", {}, file.kind === null ? "–" : file.kind === "LOG" ? "log" : "data"),
          number(bytes(file.size)),
          ...half(of, [3, 4, 5]),
          ...half(of, [0, 1, 2]),
        ),
      ),
    );
  };
  return { element, stop: ask(live, "files", 2, got, trouble) };
}
