// Each operation on a file as it happens, with filters: which writes are there, how large, how slow?

import { saveCsv } from "./ask";
import { h, set, svg } from "./dom";
import { files } from "./files";
import { showQuery } from "./query";
import { get, Refused, type Live } from "./server";
import { bytes, count, micros } from "./units";

interface Operation {
  number: number;
  /** Unix time of its beginning, ms. */
  at: number;
  us: number;
  session: number;
  name: string;
  file: string;
  offset: number;
  length: number;
  durable: boolean;
  error: string | null;
  /** Why it was made. */
  reason: string | null;
}

/** So many are kept here, and so many of them shown. */
const KEPT = 5000;
const SHOWN = 200;

interface Trace {
  all: Operation[];
  newest: number;
  lost: number;
  running: boolean;
}

/** What was seen stays while other pages are open. */
const trace: Trace = { all: [], newest: 0, lost: 0, running: true };

/** Kinds of operations that can be filtered: what they are called, and which they are. */
const KINDS: [string, string, (o: Operation) => boolean][] = [
  ["all", "Everything", () => true],
  ["durable", "Durable writes and syncs", (o) => o.durable],
  ["writes", "Writes", (o) => o.name === "WRITE"],
  ["reads", "Reads", (o) => o.name === "READ"],
  ["other", "Other operations", (o) => o.name !== "WRITE" && o.name !== "READ"],
  ["failed", "Failed", (o) => o.error !== null],
];

function base(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Bars: how many values are in each class, a class ending at a power of two. */
function histogram(title: string, values: number[], first: number, last: number, name: (n: number) => string): HTMLElement {
  const classes = new Array(last - first + 2).fill(0);
  for (const v of values) classes[Math.max(0, Math.min(last - first + 1, Math.ceil(Math.log2(Math.max(v, 1))) - first))]++;
  const top = Math.max(1, ...classes);
  const [width, height] = [360, 120];
  const each = width / classes.length;
  const label = (i: number) => (i > last - first ? `> ${name(2 ** last)}` : `≤ ${name(2 ** (first + i))}`);
  const bars = classes.map((n, i) =>
    svg(
      "g",
      {},
      svg("rect", { x: i * each + 1, y: height - (n / top) * (height - 16), width: each - 2, height: (n / top) * (height - 16), class: "bar" }, svg("title", {}, `${label(i)}: ${count(n)}`)),
      n > 0 && svg("text", { x: i * each + each / 2, y: height - (n / top) * (height - 16) - 3, "text-anchor": "middle", class: "small" }, count(n)),
    ),
  );
  const marks = classes.map((_, i) => (i % 3 === 0 ? svg("text", { x: i * each + each / 2, y: height + 14, "text-anchor": "middle", class: "small" }, label(i)) : null));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height + 20}`, role: "img", "aria-label": `${title}: ${count(values.length)} operations` }, ...bars, ...marks);
  const area = h("div", { class: "bars" });
  area.append(drawing);
  return h("section", { class: "panel" }, h("h2", {}, title), area);
}

export function writes(live: Live): { element: HTMLElement; stop: () => void } {
  const kind = h("select", { id: "kind", change: () => draw() }, ...KINDS.map(([key, title]) => h("option", { value: key }, title)));
  const file = h("input", { id: "file", placeholder: "part of a name", size: 16, input: () => draw() });
  const session = h("input", { id: "session", placeholder: "any", size: 6, inputmode: "numeric", input: () => draw() });
  const slow = h("input", { id: "slow", placeholder: "0", size: 6, inputmode: "numeric", input: () => draw() });
  const order = h("select", { id: "order", change: () => draw() }, h("option", { value: "newest" }, "the newest first"), h("option", { value: "slowest" }, "the slowest first"));
  const toggle = h("button", { type: "button", class: "main" });
  const note = h("p", { class: "state", role: "status" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const charts = h("div", { class: "charts" });
  const body = h("tbody");
  const columns = ["Time", "Session", "Operation", "File", "Offset", "Length", "Durable", "Duration", "Result", "Why"];
  const head = h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c))));
  const label = (to: string, text: string) => h("label", { for: to }, text);
  toggle.addEventListener("click", () => {
    trace.running = !trace.running;
    // What happens while it stands still is not wanted.
    if (trace.running) trace.newest = 0;
    say();
  });
  const clear = () => {
    trace.all = [];
    trace.lost = 0;
    draw();
  };
  const each = files(live);
  const element = h(
    "div",
    { class: "page" },
    each.element,
    h(
      "div",
      { class: "row" },
      toggle,
      h("button", { type: "button", click: clear }, "Clear"),
      h("button", { type: "button", click: () => save(shown()) }, "Save as CSV"),
      label("kind", "Show"),
      kind,
      label("file", "of file"),
      file,
      label("session", "of session"),
      session,
      label("slow", "from µs"),
      slow,
      label("order", "in order"),
      order,
    ),
    trouble,
    charts,
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "Operations on files"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Operations" }, h("table", {}, head, body)),
      note,
      h("button", { class: "source", type: "button", click: () => void showQuery("io") }, "taffrail.io_trace"),
    ),
  );

  const shown = () => {
    const of = KINDS.find((k) => k[0] === kind.value)?.[2] ?? (() => true);
    const name = file.value.trim().toLowerCase();
    const [id, us] = [Number(session.value), Number(slow.value) || 0];
    return trace.all.filter((o) => of(o) && (!name || o.file.toLowerCase().includes(name)) && (!session.value.trim() || o.session === id) && o.us >= us);
  };

  const say = () => {
    toggle.textContent = trace.running ? "Stop" : "Start";
  };

  const clock = (at: number) => {
    const d = new Date(at);
    return `${d.toLocaleTimeString("en-GB")}.${String(d.getMilliseconds()).padStart(3, "0")}`;
  };

  const draw = () => {
    const all = shown();
    const sized = all.filter((o) => o.name === "WRITE" || o.name === "READ");
    set(charts, histogram("Reads and writes by size", sized.map((o) => o.length), 9, 20, bytes), histogram("By duration", all.map((o) => o.us), 4, 20, micros));
    set(
      body,
      ...(order.value === "slowest" ? [...all].sort((a, b) => a.us - b.us) : all)
        .slice(-SHOWN)
        .reverse()
        .map((o) =>
          h(
            "tr",
            { class: o.error ? "blocks" : "" },
            h("td", { class: "number" }, clock(o.at)),
            h("td", { class: "number" }, o.session ? String(o.session) : "–"),
            h("td", {}, o.name),
            h("td", { title: o.file }, base(o.file)),
            h("td", { class: "number" }, o.name === "SYNC" || o.name === "OPEN" ? "–" : count(o.offset)),
            h("td", { class: "number" }, o.length ? bytes(o.length) : "–"),
            h("td", {}, o.durable ? "yes" : o.name === "WRITE" ? "by a later sync" : "–"),
            h("td", { class: "number" }, micros(o.us)),
            h("td", {}, o.error ?? "success"),
            h("td", {}, o.reason ? o.reason.toLowerCase().replaceAll("_", " ") : "–"),
          ),
        ),
    );
    const lost = trace.lost ? ` ${count(trace.lost)} more came faster than they could be shown.` : "";
    const some = all.length > SHOWN ? `The ${order.value} ${count(SHOWN)} of ${count(all.length)} that fit, of ${count(trace.all.length)} kept.` : `${count(all.length)} that fit, of ${count(trace.all.length)} kept.`;
    note.textContent = trouble.textContent ? "" : trace.all.length === 0 ? "No operation yet: nothing is read or written." : some + lost;
  };

  let asking = false;
  const ask = async () => {
    if (asking || !trace.running || live.state === "stale") return;
    asking = true;
    try {
      // The first answer only says where the trace is: what happened before somebody looked is in the view.
      const begin = trace.newest === 0;
      const said = await get(`/api/io/${trace.newest}`);
      trouble.textContent = "";
      const now = Date.now();
      const rows: Operation[] = said.rows.map(([number, ago, us, session, name, of, offset, length, durable, error, reason]: any[]) => ({
        number, at: now - ago / 1000, us, session, name, file: said.files[of] ?? "?", offset, length, durable, error, reason,
      }));
      trace.newest = said.newest;
      if (!begin) trace.lost += said.lost;
      trace.all = [...trace.all, ...(begin ? rows.filter((o) => o.at > now - 10_000) : rows)].slice(-KEPT);
      if (rows.length || begin) draw();
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
      draw();
    } finally {
      asking = false;
    }
  };
  say();
  draw();
  void ask();
  const silent = live.listen(() => void ask());
  return {
    element,
    stop: () => {
      silent();
      each.stop();
    },
  };
}

function save(all: Operation[]): void {
  const rows = all.map((o) => [o.number, new Date(o.at).toISOString(), o.session, o.name, o.file, o.offset, o.length, o.durable, o.us, o.error ?? "success", o.reason ?? ""]);
  saveCsv("io.csv", ["number", "time", "session", "operation", "file", "offset", "length", "durable", "duration_us", "result", "reason"], rows);
}
