// The page Lab: choose an experiment, run it, watch it, read its page.

import { chart } from "./chart";
import { h, set } from "./dom";
import { get, post, Refused, type Live } from "./server";
import { bytes, rate, seconds } from "./units";

interface Scale {
  name: string;
  disk_mb: number;
  seconds: number;
  durable_writes: number;
}

interface Experiment {
  name: string;
  title: string;
  question: string;
  document: string | null;
  variants: string[];
  /** Products that can do the work as well. */
  peers: string[];
  scales: Scale[];
}

/** Rounds of a run, with the warm-up. */
const ROUNDS = 4;
/** Durable writes a second of a device of no great speed: what is said of a run's time is a first guess, the run says a better one. */
const WRITES = 1000;

const perSecond = (n: number | null) => (n === null ? "–" : `${rate(n)}/s`);

/** How long a run may take, s. */
export function guess(scale: Scale): number {
  return (scale.seconds + scale.durable_writes / WRITES) * ROUNDS;
}

export function lab(live: Live): { element: HTMLElement; stop: () => void } {
  let experiments: Experiment[] = [];
  let chosen = "loop";
  const trouble = h("p", { class: "trouble", role: "alert" });
  const list = h("div", { class: "choices", role: "radiogroup", "aria-label": "Experiments" });
  const scale = h("select", { id: "scale", change: () => sized() });
  const place = h(
    "select",
    { id: "place", change: () => placed() },
    h("option", { value: "own" }, "a server of its own"),
    h("option", { value: "here" }, "this server"),
  );
  const password = h("input", { id: "lab-password", type: "password", autocomplete: "current-password", size: 18 });
  const secret = h("span", { class: "field", hidden: true }, h("label", { for: "lab-password" }, "Your password"), password);
  const peers = h("input", { id: "peers", type: "checkbox" });
  const products = h("span", {});
  const beside = h("label", { class: "field", for: "peers", hidden: true }, peers, products);
  const size = h("p", { class: "state" });
  const start = h("button", { type: "button", class: "main", click: () => void run() }, "Run");
  const stop = h("button", { type: "button", disabled: true, click: () => void end() }, "Stop");
  const meter = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  const state = h("p", { class: "state", role: "status", id: "run-state" }, "Loading …");
  const lines = h("pre", { tabindex: 0, role: "log", "aria-label": "What the run says", id: "run-lines", hidden: true });
  const page = h("p");
  const reports = h("ul", { class: "plain", id: "reports" });
  const times = () => live.points.map((p) => p.at);
  const charts = [
    chart(live, {
      title: "Transactions and log flushes, of this server",
      unit: perSecond,
      source: "sys.dm_os_performance_counters",
      query: "counters",
      times,
      lines: [
        { label: "transactions", colour: 2, values: () => live.points.map((p) => p.transactions) },
        { label: "log flushes", colour: 3, values: () => live.points.map((p) => p.flushes) },
      ],
    }),
    chart(live, {
      title: "What commits waited, of this server",
      unit: (n) => (n === null ? "–" : `${rate(n)} ms/s`),
      source: "Log Flush Wait Time, Log Flush Write Time (ms)",
      query: "counters",
      times,
      lines: [
        { label: "waited", colour: 1, values: () => live.points.map((p) => p.flushWaitMs) },
        { label: "flushes took", colour: 2, values: () => live.points.map((p) => p.flushWriteMs) },
      ],
    }),
    chart(live, {
      title: "Written to files, of this server",
      unit: (n) => (n === null ? "–" : `${bytes(n)}/s`),
      source: "sys.dm_io_virtual_file_stats",
      query: "files",
      binary: true,
      times,
      lines: [
        { label: "data", colour: 1, values: () => live.points.map((p) => p.dataBytes) },
        { label: "log", colour: 2, values: () => live.points.map((p) => p.logBytes) },
      ],
    }),
  ];
  const watched = h("div", { class: "charts", hidden: true }, ...charts.map((c) => c.element));
  const element = h(
    "div",
    { class: "page" },
    trouble,
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Experiments"),
      h(
        "p",
        { class: "muted" },
        "What VLFs, growth of the log, checkpoints and commits cost on this machine. Each repeats what an article has measured, or asks a question of its own, and writes a page with figures, drawings and what explains them.",
      ),
      list,
      h(
        "div",
        { class: "row" },
        h("label", { for: "scale" }, "Size"),
        scale,
        h("label", { for: "place" }, "on"),
        place,
        secret,
        beside,
        start,
        stop,
      ),
      size,
    ),
    h("section", { class: "panel" }, h("h2", {}, "The run"), state, meter, page, lines),
    watched,
    h("section", { class: "panel" }, h("h2", {}, "Pages of runs, the newest first"), reports),
  );

  const one = () => experiments.find((e) => e.name === chosen);
  const sized = () => {
    const s = one()?.scales.find((x) => x.name === scale.value);
    size.textContent = s
      ? `About ${seconds(Math.max(1, Math.round(guess(s))))}, up to ${bytes(s.disk_mb * 1024 * 1024)} of disk. Its databases are dropped at the end.`
      : "";
  };
  const placed = () => {
    secret.hidden = place.value === "own";
    others();
    if (!secret.hidden) password.focus();
  };
  /** They run beside a server of the lab's own, in experiments that have scripts for them. */
  const others = () => {
    const there = one()?.peers ?? [];
    beside.hidden = place.value !== "own" || !there.length;
    const named = there.length > 1 ? `${there.slice(0, -1).join(", ")} and ${there[there.length - 1]}` : there.join("");
    products.textContent = `also ${named}, where installed`;
  };
  const choose = (name: string) => {
    chosen = name;
    others();
    const before = scale.value;
    const names = one()?.scales.map((s) => s.name) ?? [];
    set(scale, ...names.map((n) => h("option", { value: n, selected: n === (names.includes(before) ? before : "quick") }, n)));
    sized();
  };
  const drawList = () => {
    set(
      list,
      ...experiments.map((e) => {
        const radio = h("input", {
          type: "radio",
          name: "experiment",
          id: `experiment-${e.name}`,
          value: e.name,
          checked: e.name === chosen,
          change: () => choose(e.name),
        });
        return h(
          "label",
          { class: "choice", for: radio.id },
          radio,
          h(
            "span",
            {},
            h("b", {}, e.name),
            ` ${e.question}`,
            h("small", {}, e.document ? `After "${e.document}"` : "Of our own", `: ${e.variants.join(" · ")}`),
          ),
        );
      }),
    );
    choose(chosen);
  };
  const refused = (e: unknown) => void (trouble.textContent = e instanceof Refused ? e.message : "The server does not answer.");
  const run = async () => {
    trouble.textContent = "";
    start.disabled = true;
    try {
      await post("/api/lab/run", {
        experiment: chosen,
        scale: scale.value,
        password: place.value === "here" ? password.value : null,
        peers: !beside.hidden && peers.checked,
      });
    } catch (e) {
      refused(e);
    }
    password.value = "";
    await refresh();
  };
  const end = async () => {
    stop.disabled = true;
    await post("/api/lab/stop", {}).catch(refused);
  };

  const open = (name: string) => h("a", { href: `/api/lab/report/${name}`, target: "_blank", rel: "noopener" }, name);
  let shownLines = "";
  const show = (said: any) => {
    if (!experiments.length) {
      experiments = said.experiments;
      drawList();
    }
    const r = said.run;
    const goes = r !== null && r.ended === null;
    start.disabled = goes;
    stop.disabled = !goes;
    meter.hidden = !goes;
    watched.hidden = !(r?.here && goes);
    if (!r) state.textContent = "Nothing has been run since the server's start.";
    else if (goes) {
      const p = r.progress;
      meter.value = p?.done ?? 0;
      state.textContent = `${r.experiment} (${r.scale}): ${p ? `${p.what}${p.left ? `, ${p.left} left` : ""}` : "it begins"}, ${seconds(r.seconds)} so far.`;
    } else state.textContent = `${r.experiment} (${r.scale}): ${r.ended}.`;
    set(page, ...(r?.report ? ["Read its page: ", open(r.report)] : []));
    const text = (r?.lines ?? []).join("\n");
    if (text !== shownLines) {
      shownLines = text;
      lines.textContent = text;
      lines.scrollTop = lines.scrollHeight;
    }
    lines.hidden = !text;
    set(
      reports,
      ...said.reports.map(([name, at]: [string, number]) => h("li", {}, open(name), ` ${new Date(at * 1000).toLocaleString("en-GB")}`)),
      said.reports.length ? null : h("li", {}, "None yet."),
    );
  };
  let asking = false;
  const refresh = async () => {
    if (asking || live.state === "stale") return;
    asking = true;
    try {
      show(await get("/api/lab"));
    } catch (e) {
      refused(e);
      state.textContent = "";
      start.disabled = e instanceof Refused && e.status === 403;
    } finally {
      asking = false;
    }
  };
  void refresh();
  const silent = live.listen(() => void refresh());
  return {
    element,
    stop: () => {
      silent();
      charts.forEach((c) => c.stop());
    },
  };
}
