// A time series over the last minutes, with where its figures come from.

import uPlot from "uplot";
import { h, set } from "./dom";
import { HOUR, KEPT, type Live } from "./server";
import { showQuery } from "./query";

export interface Line {
  label: string;
  /** 1 to 6: colours of the design. */
  colour: number;
  values: () => (number | null)[];
  /** What values are multiplied by where they are drawn; what is said of them is theirs. */
  scale?: () => number;
  /** How a value of this line is said, where it is not as the axis says it. */
  text?: (n: number | null) => string;
}

export interface Options {
  title: string;
  unit: (n: number | null) => string;
  /** The view or counter that it draws, and the name of its statement. */
  source: string;
  query: string;
  lines: Line[];
  times: () => number[];
  /** Only points: each figure is an event of its own, and only the last minutes of them are kept. */
  points?: boolean;
  /** Round numbers are powers of two. */
  binary?: boolean;
  empty?: string;
  /** With which words its figures are refused, where they come in no frame. */
  refused?: () => string;
  max?: number;
}

/** How much of the past is drawn: s, how it is called, s between two marks of the axis. */
const RANGES: [number, string, number][] = [
  [KEPT, "3 min", 30],
  [900, "15 min", 180],
  [HOUR, "1 h", 600],
];

function range(): [number, string, number] {
  const chosen = Number(localStorage.getItem("range"));
  return RANGES.find((r) => r[0] === chosen) ?? RANGES[0];
}

/** Chooses how much of the past the charts of this browser draw. */
export function ranges(live: Live): HTMLElement {
  const select = h(
    "select",
    {
      id: "range",
      change: () => {
        localStorage.setItem("range", select.value);
        live.redraw();
      },
    },
    ...RANGES.map(([s, title]) => h("option", { value: s, selected: s === range()[0] }, title)),
  );
  return h("div", { class: "row" }, h("label", { for: "range" }, "Charts show the last"), select);
}

const HEIGHT = 150;
const POWERS = Array.from({ length: 45 }, (_, i) => 2 ** i);

/** The panel; it draws itself whenever something new has come, until `stop`. */
export function chart(live: Live, options: Options): { element: HTMLElement; stop: () => void } {
  const legend = h("div", { class: "legend" });
  const area = h("div", { class: "area", role: "img", "aria-label": options.title });
  const note = h("p", { class: "state" });
  const source = h("button", { class: "source", type: "button", click: () => showQuery(options.query) }, options.source);
  const element = h("section", { class: "panel" }, h("h2", {}, options.title), legend, area, note, source);
  const style = () => getComputedStyle(document.documentElement);
  const colour = (n: number) => style().getPropertyValue(`--line-${n}`).trim();
  const muted = () => style().getPropertyValue("--muted").trim();
  const grid = () => style().getPropertyValue("--grid").trim();
  const values = options.lines.map(() => h("b", {}, "–"));
  set(
    legend,
    ...options.lines.map((line, i) => h("span", {}, h("i", { class: `key line-${line.colour}` }), `${line.label} `, values[i])),
  );
  let plot: uPlot | null = null;
  let theme = "";

  const drawn = (line: Line) => {
    const by = line.scale?.() ?? 1;
    return by === 1 ? line.values() : line.values().map((v) => (v === null ? null : v * by));
  };
  const data = () => [options.times(), ...options.lines.map(drawn)] as uPlot.AlignedData;
  const [span, every] = options.points ? [() => KEPT, () => 30] : [() => range()[0], () => range()[2]];
  const before = (s: number) => (span() === KEPT ? `−${s} s` : `−${Math.round(s / 6) / 10} min`);

  const make = () => {
    plot?.destroy();
    const axis = { stroke: muted, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    plot = new uPlot(
      {
        width: Math.max(200, area.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: {
          x: { time: true, range: () => [Date.now() / 1000 - span(), Date.now() / 1000] },
          y: { range: (_, __, top) => [0, options.max ?? Math.max(top * 1.1, 1)] },
        },
        axes: [
          {
            ...axis,
            splits: (u, __, ___, now) => {
              const apart = every() * (u.width < 480 ? 2 : 1);
              return Array.from({ length: span() / apart }, (_, i) => now - apart * i).reverse();
            },
            values: (_, at) => at.map((s) => (s < at[at.length - 1] ? before(Math.round(at[at.length - 1] - s)) : "now")),
            size: 24,
          },
          { ...axis, values: (_, at) => at.map((v) => options.unit(v)), size: 84, space: 32, ...(options.binary ? { incrs: POWERS } : {}) },
        ],
        series: [
          {},
          ...options.lines.map((line) => ({
            label: line.label,
            stroke: () => colour(line.colour),
            width: 1.5,
            spanGaps: true,
            // A line begins as a dot.
            points: { show: options.points ?? ((u: uPlot) => u.data[0].length < 3), size: 5, fill: () => colour(line.colour) },
            ...(options.points ? { paths: () => null } : {}),
          })),
        ],
        hooks: { setCursor: [(u) => say(u.cursor.idx ?? null)] },
      },
      data(),
      area,
    );
    theme = document.documentElement.dataset.theme ?? "";
  };

  const say = (at: number | null) => {
    options.lines.forEach((line, i) => {
      const column = line.values();
      const value = column.length ? column[at ?? column.length - 1] : null;
      values[i].textContent = (line.text ?? options.unit)(value ?? null);
    });
  };

  const draw = () => {
    const some = options.times().length > 0;
    const waits = live.state === "loading" || (live.state === "live" && !some && !options.points);
    const refused = options.refused?.() ?? live.refused.get(options.query);
    note.textContent = refused ? refused : some ? "" : waits ? "Waiting for two samples …" : (options.empty ?? "Nothing yet.");
    area.hidden = !some;
    if (!some || area.clientWidth === 0) return;
    if (!plot || theme !== (document.documentElement.dataset.theme ?? "")) make();
    if (plot && plot.width !== area.clientWidth) plot.setSize({ width: area.clientWidth, height: HEIGHT });
    plot?.setData(data());
    if (plot?.cursor.idx === undefined || plot?.cursor.idx === null) say(null);
  };
  const silent = live.listen(draw);
  const resized = new ResizeObserver(draw);
  resized.observe(element);
  requestAnimationFrame(draw);
  return {
    element,
    stop: () => {
      silent();
      resized.disconnect();
      plot?.destroy();
    },
  };
}
