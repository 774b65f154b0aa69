// The graph of a deadlock: who has what, and who waits for it.

import { h, set, svg } from "./dom";
import { openInQuery } from "./statements";

interface Party {
  id: string;
  spid: string;
  login: string;
  program: string;
  text: string;
  victim: boolean;
  used: string;
}

interface Resource {
  kind: string;
  name: string;
  index: string;
  owners: [string, string][];
  waiters: [string, string][];
}

export interface Deadlock {
  at: string;
  parties: Party[];
  resources: Resource[];
  xml: string;
}

/** The deadlocks among the events of a ring, the newest first. */
export function deadlocks(ring: Document): Deadlock[] {
  const all = [...ring.querySelectorAll('event[name="xml_deadlock_report"]')].flatMap((event) => {
    const graph = event.querySelector("deadlock");
    return graph ? [read(event.getAttribute("timestamp") ?? "", graph)] : [];
  });
  return all.reverse();
}

function read(at: string, graph: Element): Deadlock {
  const of = (element: Element, name: string) => element.getAttribute(name) ?? "";
  const victims = new Set([...graph.querySelectorAll("victimProcess")].map((v) => of(v, "id")));
  const parties = [...graph.querySelectorAll("process-list > process")].map((p) => ({
    id: of(p, "id"),
    spid: of(p, "spid"),
    login: of(p, "loginname"),
    program: of(p, "clientapp"),
    used: of(p, "logused"),
    victim: victims.has(of(p, "id")),
    text: (p.querySelector("executionStack > frame:last-child")?.textContent ?? p.querySelector("inputbuf")?.textContent ?? "").trim(),
  }));
  const ends = (resource: Element, list: string) => [...resource.querySelectorAll(`${list} > *`)].map((e): [string, string] => [of(e, "id"), of(e, "mode")]);
  const resources = [...(graph.querySelector("resource-list")?.children ?? [])].map((r) => ({
    kind: r.tagName.replace(/lock$/, ""),
    name: of(r, "objectname") || of(r, "id"),
    index: of(r, "indexname"),
    owners: ends(r, "owner-list"),
    waiters: ends(r, "waiter-list"),
  }));
  return { at, parties, resources, xml: new XMLSerializer().serializeToString(graph) };
}

const [WIDE, HIGH, BOX, TALL] = [960, 92, 250, 60];
/** Characters that a box has room for. */
const FITS = 34;

/** Sessions on a circle's two sides and what they have and want between them: an arrow from a resource leads to who has it, one from a session to what it waits for. */
export function draw(d: Deadlock): HTMLElement {
  const rows = Math.max(Math.ceil(d.parties.length / 2), d.resources.length, 1);
  const height = rows * HIGH + 16;
  const at = new Map<string, [number, number]>();
  const place = (i: number, n: number) => ((i + 0.5) * height) / n;
  const left = Math.ceil(d.parties.length / 2);
  d.parties.forEach((p, i) => at.set(p.id, i < left ? [BOX / 2 + 8, place(i, left)] : [WIDE - BOX / 2 - 8, place(i - left, d.parties.length - left)]));
  const cut = (text: string, n: number) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
  const box = (x: number, y: number, kind: string, lines: string[], title: string) =>
    svg(
      "g",
      {},
      svg("title", {}, title),
      svg("rect", { x: x - BOX / 2, y: y - TALL / 2, width: BOX, height: TALL, rx: kind === "resource" ? 2 : 14, class: `party ${kind}` }),
      ...lines.map((line, n) => svg("text", { x, y: y + 4 + (n - (lines.length - 1) / 2) * 15, "text-anchor": "middle", class: n === 0 ? "strong" : "small" }, cut(line, n === 0 ? FITS - 3 : FITS + 2))),
    );
  const arrows: SVGElement[] = [];
  const arrow = (from: [number, number], to: [number, number], text: string, kind: string, shift: number) => {
    const side = Math.sign(to[0] - from[0]) || 1;
    const [x1, y1, x2, y2] = [from[0] + (side * BOX) / 2, from[1] + shift, to[0] - (side * BOX) / 2 - side * 8, to[1] + shift];
    arrows.push(svg("line", { x1, y1, x2, y2, class: `arrow ${kind}`, "marker-end": `url(#${kind})` }));
    arrows.push(svg("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4, "text-anchor": "middle", class: "small halo" }, text));
  };
  const boxes = d.resources.map((r, i) => {
    const middle: [number, number] = [WIDE / 2, place(i, d.resources.length)];
    for (const [id, mode] of r.owners) if (at.has(id)) arrow(middle, at.get(id)!, `has ${mode}`, "has", -8);
    for (const [id, mode] of r.waiters) if (at.has(id)) arrow(at.get(id)!, middle, `wants ${mode}`, "wants", 8);
    return box(...middle, "resource", [r.name, `${r.kind} lock${r.index ? `, ${r.index}` : ""}`], `${r.kind}: ${r.name} ${r.index}`);
  });
  const marker = (id: string) => svg("marker", { id, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0L8 4L0 8z", class: `tip ${id}` }));
  const name = (p: Party) => `session ${p.spid}`;
  const said = d.parties.map((p) => `${name(p)}${p.victim ? ", the victim" : ""}`).join("; ");
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${height}`, role: "img", "aria-label": `Deadlock of ${said}` },
    svg("defs", {}, marker("has"), marker("wants")),
    ...arrows,
    ...boxes,
    ...d.parties.map((p) => box(...at.get(p.id)!, p.victim ? "victim" : "", [`${name(p)}${p.victim ? ": the victim" : ""}`, p.text.replaceAll(/\s+/g, " ")], p.text)),
  );
  const area = h("div", { class: "graph", tabindex: 0, role: "region", "aria-label": "The deadlock, drawn" });
  area.append(drawing);
  return area;
}

/** Who did what, in words, and the report itself. */
export function told(d: Deadlock): HTMLElement {
  const byId = new Map(d.parties.map((p) => [p.id, p]));
  const lines = d.parties.map((p) => {
    const wants = d.resources.filter((r) => r.waiters.some(([id]) => id === p.id));
    const from = wants.flatMap((r) => r.owners.map(([id]) => byId.get(id)?.spid ?? "?"));
    return h(
      "li",
      {},
      h("b", {}, `Session ${p.spid}`),
      p.victim ? " was ended (error 1205)" : " went on",
      `: ${p.login}${p.program ? `, ${p.program}` : ""}, ${p.used} bytes of log. It waited for ${[...new Set(wants.map((r) => r.name))].join(" and ") || "nothing"}, which session ${[...new Set(from)].join(" and ") || "–"} had. `,
      h("code", {}, p.text),
    );
  });
  const xml = h("pre", { tabindex: 0 });
  const more = h("details", { toggle: () => set(xml, d.xml) }, h("summary", {}, "The report as XML"), xml);
  return h("div", {}, h("ul", { class: "plain" }, ...lines), more, h("button", { class: "source", type: "button", click: () => openInQuery(SOURCE) }, "xml_deadlock_report of system_health"));
}

const SOURCE = `SELECT t.target_data
FROM sys.dm_xe_session_targets t JOIN sys.dm_xe_sessions s ON s.address = t.event_session_address
WHERE s.name = 'system_health'`;
