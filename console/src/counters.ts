// Any counter, live: what Performance Monitor shows of a server.

import { ask, saveCsv } from "./ask";
import { chart, ranges, type Line } from "./chart";
import { h, set } from "./dom";
import { showQuery } from "./query";
import { KEPT, type Live, type Point } from "./server";
import { count, rate, seconds } from "./units";

/** cntr_type of sys.dm_os_performance_counters. */
const PER_SECOND = new Set([272696576, 272696320]);
const FRACTION = 537003264;
const AVERAGE = 1073874176;
const BASE = 1073939712;

interface Counter {
  object: string;
  name: string;
  instance: string;
  type: number;
}

interface Sample {
  /** Unix time, s. */
  at: number;
  /** The server's clock, ms. */
  ticks: number;
  values: Map<string, number>;
}

/** So many can be told apart by their colour. */
const LINES = 6;
const DATABASES = "SQLServer:Databases";
const BUFFERS = "SQLServer:Buffer Manager";

const PRESETS: Record<string, [string, string[]]> = {
  commits: [
    "Commits and the log",
    [
      `${DATABASES}|Transactions/sec|_Total`,
      `${DATABASES}|Log Flushes/sec|_Total`,
      `${DATABASES}|Log Bytes Flushed/sec|_Total`,
      `${DATABASES}|Log Flush Waits/sec|_Total`,
      "SQLServer:SQL Statistics|Batch Requests/sec|",
    ],
  ],
  checkpoints: [
    "Checkpoints",
    [
      `${BUFFERS}|Checkpoint pages/sec|`,
      `${BUFFERS}|Background writer pages/sec|`,
      `${BUFFERS}|Page writes/sec|`,
      `${DATABASES}|Log Flushes/sec|_Total`,
      `${DATABASES}|Log Bytes Flushed/sec|_Total`,
      `${DATABASES}|Percent Log Used|_Total`,
    ],
  ],
  memory: [
    "Memory",
    [`${BUFFERS}|Buffer cache hit ratio|`, `${BUFFERS}|Page life expectancy|`, `${BUFFERS}|Page reads/sec|`, `${BUFFERS}|Lazy writes/sec|`, `${BUFFERS}|Database pages|`],
  ],
  loop: [
    "A loop of commits",
    [
      `${DATABASES}|Transactions/sec|_Total`,
      `${DATABASES}|Log Flushes/sec|_Total`,
      `${DATABASES}|Log Flush Waits/sec|_Total`,
      `${DATABASES}|Log Flush Wait Time|_Total`,
      `${DATABASES}|Log Flush Write Time (ms)|_Total`,
    ],
  ],
  growth: [
    "Growth of the log",
    [
      `${DATABASES}|Log Growths|_Total`,
      `${DATABASES}|Log File(s) Size (KB)|_Total`,
      `${DATABASES}|Log File(s) Used Size (KB)|_Total`,
      `${DATABASES}|Log Bytes Flushed/sec|_Total`,
      `${DATABASES}|Log Flush Wait Time|_Total`,
    ],
  ],
  vlfs: [
    "Reuse of the log",
    [
      `${DATABASES}|Log Truncations|_Total`,
      `${DATABASES}|Percent Log Used|_Total`,
      `${DATABASES}|Log File(s) Used Size (KB)|_Total`,
      `${DATABASES}|Log Bytes Flushed/sec|_Total`,
    ],
  ],
  lazy: [
    "Lazy commits",
    [
      `${DATABASES}|Write Transactions/sec|_Total`,
      `${DATABASES}|Log Flushes/sec|_Total`,
      `${DATABASES}|Log Bytes Flushed/sec|_Total`,
      `${DATABASES}|Log Flush Waits/sec|_Total`,
      `${DATABASES}|Log Flush Wait Time|_Total`,
    ],
  ],
  locks: ["Locks", ["Lock Requests/sec", "Lock Waits/sec", "Average Wait Time (ms)", "Number of Deadlocks/sec", "Lock Timeouts/sec"].map((c) => `SQLServer:Locks|${c}|_Total`)],
};

/** Totals of ms, which say more by the second. */
const TOTALS = new Set(["Log Flush Wait Time"]);

/** Counters that the server has kept for an hour: what a chart shows of the time before the page was opened. */
const PAST: Record<string, (p: Point) => number> = {
  [`${DATABASES}|Transactions/sec|_Total`]: (p) => p.transactions,
  [`${DATABASES}|Log Flushes/sec|_Total`]: (p) => p.flushes,
  [`${DATABASES}|Log Bytes Flushed/sec|_Total`]: (p) => p.flushBytes,
  [`${DATABASES}|Log Flush Waits/sec|_Total`]: (p) => p.flushWaits,
  [`${DATABASES}|Log Flush Wait Time|_Total`]: (p) => p.flushWaitMs,
  [`${DATABASES}|Log Flush Write Time (ms)|_Total`]: (p) => p.flushWriteMs,
  "SQLServer:SQL Statistics|Batch Requests/sec|": (p) => p.batches,
  [`${BUFFERS}|Checkpoint pages/sec|`]: (p) => p.checkpointPages,
  [`${BUFFERS}|Background writer pages/sec|`]: (p) => p.backgroundPages,
  [`${BUFFERS}|Page writes/sec|`]: (p) => p.pageWrites,
  [`${BUFFERS}|Lazy writes/sec|`]: (p) => p.lazyPages,
};

/** What was seen stays while other pages are open. */
const store = {
  counters: new Map<string, Counter>(),
  samples: [] as Sample[],
  chosen: remembered(),
  running: true,
};

function remembered(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem("counters") ?? "");
    if (Array.isArray(kept) && kept.length) return kept.filter((k) => typeof k === "string").slice(0, LINES);
  } catch {
    // Nothing, or nothing that can be read.
  }
  return PRESETS.commits[1];
}

const key = (c: Counter) => `${c.object}|${c.name}|${c.instance}`;

/** Averages whose base is called unlike them. */
const UNLIKE: Record<string, string> = { "Avg Dist From EOL/LP Request": "Log Pool Requests" };

/** Where the base of a ratio or an average is, by how the two are called. */
function base(c: Counter): string[] {
  const stems = [c.name, c.name.replace(/ (\(ms\)|Ratio)$/, ""), UNLIKE[c.name] ?? c.name];
  return stems.flatMap((stem) => ["Base", "base"].map((base) => `${c.object}|${stem} ${base}|${c.instance}`));
}

/** A counter's value at a sample: what its type makes of the totals. */
export function valueAt(c: Counter, before: Sample | undefined, now: Sample): number | null {
  const name = key(c);
  const value = now.values.get(name);
  if (value === undefined) return null;
  const of = (sample: Sample) => base(c).map((b) => sample.values.get(b)).find((b) => b !== undefined);
  if (c.type === FRACTION) {
    const all = of(now);
    return all ? (value / all) * 100 : null;
  }
  const averages = c.type === AVERAGE;
  if (!averages && !PER_SECOND.has(c.type) && !TOTALS.has(c.name)) return value;
  const old = before?.values.get(name);
  // After a restart totals begin anew.
  if (!before || old === undefined || value < old) return null;
  if (averages) {
    const [from, to] = [of(before), of(now)];
    return from !== undefined && to !== undefined && to > from ? (value - old) / (to - from) : null;
  }
  const s = (now.ticks - before.ticks) / 1000;
  return s > 0 ? (value - old) / s : null;
}

function series(name: string): (number | null)[] {
  const c = store.counters.get(name);
  // The first sample has none before it.
  return store.samples.slice(1).map((now, i) => (c ? valueAt(c, store.samples[i], now) : null));
}

/** Points from before the first sample, where any of the counters that are shown has them. */
function past(live: Live): Point[] {
  const first = store.samples.length > 1 ? store.samples[1].at : Infinity;
  return store.chosen.some((name) => name in PAST) ? live.points.filter((p) => p.at < first) : [];
}

/** The power of ten that brings a counter below 100, so that all are seen on one scale. */
export function scaleOf(most: number): number {
  return most > 0 ? 10 ** Math.max(-9, Math.min(4, Math.floor(2 - Math.log10(most)))) : 1;
}

function unit(c: Counter | undefined): string {
  if (!c) return "";
  if (c.type === FRACTION || c.name.startsWith("Percent ")) return "%";
  if (c.type === AVERAGE) return "ms";
  if (TOTALS.has(c.name)) return "ms per s";
  if (PER_SECOND.has(c.type)) return "per s";
  return c.name.endsWith("(KB)") ? "KB" : c.name.endsWith("(ms)") ? "ms" : "";
}

function title(name: string): string {
  const [, counter, instance] = name.split("|");
  return instance && instance !== "_Total" ? `${counter} (${instance})` : counter;
}

export function counters(live: Live): { element: HTMLElement; stop: () => void } {
  const preset = h("select", { id: "preset", change: () => choose(PRESETS[preset.value]?.[1] ?? store.chosen) });
  const names = h("datalist", { id: "names" });
  const add = h("input", { id: "add", list: "names", size: 44, placeholder: "object | counter | instance", change: () => more() });
  const toggle = h("button", { type: "button", class: "main" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "state", role: "status" });
  const place = h("div");
  const body = h("tbody");
  const columns = ["Counter", "Scale", "Last", "Average", "Least", "Most", "Unit", ""];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => (c ? h("th", { scope: "col" }, c) : h("td")))));
  set(preset, h("option", { value: "" }, "own choice"), ...Object.entries(PRESETS).map(([k, [t]]) => h("option", { value: k }, t)));
  toggle.addEventListener("click", () => {
    store.running = !store.running;
    say();
  });
  const element = h(
    "div",
    { class: "page" },
    h(
      "div",
      { class: "row" },
      toggle,
      h("button", { type: "button", click: () => ((store.samples = []), draw()) }, "Clear"),
      h("button", { type: "button", click: () => save() }, "Save as CSV"),
      h("label", { for: "preset" }, "Show"),
      preset,
      h("label", { for: "add" }, "and"),
      add,
      names,
    ),
    ranges(live),
    trouble,
    place,
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "What has been seen of them"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Counters" }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery("counterValues") }, "sys.dm_os_performance_counters"),
    ),
  );
  let plot: { element: HTMLElement; stop: () => void } | null = null;
  let refused = false;
  const whole = (name: string) => [...past(live).map((p) => PAST[name]?.(p) ?? null), ...series(name)];
  const scale = (name: string) => scaleOf(Math.max(0, ...whole(name).map((v) => v ?? 0)));

  const choose = (chosen: string[]) => {
    store.chosen = chosen.slice(0, LINES);
    localStorage.setItem("counters", JSON.stringify(store.chosen));
    const same = Object.entries(PRESETS).find(([, [, c]]) => JSON.stringify(c) === JSON.stringify(store.chosen));
    preset.value = same?.[0] ?? "";
    plot?.stop();
    const lines: Line[] = store.chosen.map((name, i) => ({
      label: title(name),
      colour: i + 1,
      values: () => whole(name),
      scale: () => scale(name),
      text: (v) => (v === null ? "–" : [rate(v), unit(store.counters.get(name)), scale(name) === 1 ? "" : `(drawn × ${scale(name)})`].filter(Boolean).join(" ")),
    }));
    plot = chart(live, {
      title: "Counters, each by its scale",
      unit: rate,
      source: "sys.dm_os_performance_counters",
      query: "counterValues",
      times: () => [...past(live).map((p) => p.at), ...store.samples.slice(1).map((s) => s.at)],
      lines,
      empty: "No samples: press Go on.",
      refused: () => (refused ? (trouble.textContent ?? "") : ""),
    });
    set(place, plot.element);
    draw();
  };
  const more = () => {
    const wanted = add.value.trim();
    const name = [...store.counters.values()].map(key).find((k) => shownName(k) === wanted);
    if (!name) {
      trouble.textContent = wanted ? `There is no counter '${wanted}'.` : "";
      return;
    }
    if (store.chosen.includes(name)) trouble.textContent = "It is shown already.";
    else if (store.chosen.length >= LINES) trouble.textContent = `${LINES} are shown: take one away first.`;
    else {
      trouble.textContent = "";
      add.value = "";
      choose([...store.chosen, name]);
    }
  };
  const shownName = (name: string) => name.replaceAll("|", " | ").replace(/ \| $/, "");
  const say = () => {
    toggle.textContent = store.running ? "Pause" : "Go on";
  };
  const save = () => {
    const all = store.chosen.map((name) => series(name));
    const rows = store.samples.slice(1).map((s, i) => [new Date(s.at * 1000).toISOString(), ...all.map((v) => v[i] ?? "")]);
    saveCsv("counters.csv", ["time", ...store.chosen.map((n) => `"${shownName(n).replaceAll('"', '""')}"`)], rows);
  };
  const draw = () => {
    const known = [...store.counters.values()].filter((c) => c.type !== BASE);
    if (names.childElementCount !== known.length) set(names, ...known.map((c) => h("option", { value: shownName(key(c)) })));
    const times = store.samples;
    const long = times.length > 1 ? times[times.length - 1].at - times[0].at : 0;
    note.textContent = refused
      ? ""
      : times.length < 2 ? (store.running ? "Waiting for two samples …" : "Paused.") : `Of ${seconds(Math.round(long))}, ${count(times.length - 1)} samples.${store.running ? "" : " Paused."}`;
    const rows = store.chosen.map((name, i) => {
      const all = series(name).filter((v): v is number => v !== null);
      const c = store.counters.get(name);
      const figure = (of: (all: number[]) => number) => h("td", { class: "number" }, all.length ? rate(of(all)) : "–");
      return h(
        "tr",
        {},
        h("td", { title: shownName(name) }, h("i", { class: `key line-${i + 1}` }), title(name), h("small", {}, name.split("|")[0].replace("SQLServer:", ""))),
        h("td", { class: "number" }, `× ${scale(name)}`),
        figure((v) => v[v.length - 1]),
        figure((v) => v.reduce((a, b) => a + b, 0) / v.length),
        figure((v) => Math.min(...v)),
        figure((v) => Math.max(...v)),
        h("td", {}, times.length && !c ? "not there" : unit(c)),
        h("td", {}, h("button", { type: "button", "data-name": name, "aria-label": `Remove ${title(name)}`, click: () => choose(store.chosen.filter((n) => n !== name)) }, "Remove")),
      );
    });
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.name : undefined;
    set(body, ...rows);
    if (focused) [...body.querySelectorAll<HTMLElement>("[data-name]")].find((b) => b.dataset.name === focused)?.focus();
  };
  const got = (said: any) => {
    refused = !said.counterValues;
    if (refused) return draw();
    const at = Date.now() / 1000;
    const values = new Map<string, number>();
    for (const [object, name, instance, value, type] of said.counterValues) {
      const c = { object, name, instance: instance ?? "", type };
      values.set(key(c), value);
      if (!store.counters.has(key(c))) store.counters.set(key(c), c);
    }
    const ticks = said.clock[0][0];
    // The same answer twice is one sample.
    if (store.samples.length && store.samples[store.samples.length - 1].ticks === ticks) return;
    store.samples = [...store.samples.filter((s) => s.at > at - KEPT), { at, ticks, values }];
    draw();
  };
  say();
  choose(store.chosen);
  const silent = ask(live, "counters", 1, got, trouble, () => store.running);
  return {
    element,
    stop: () => {
      silent();
      plot?.stop();
    },
  };
}
