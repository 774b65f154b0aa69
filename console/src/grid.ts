// A result's rows, however many: only those in sight are elements.

import { h, set } from "./dom";
import type { Rows } from "./batch";
import { count } from "./units";

const ROW = 24;
/** Rows in sight at most. */
const SIGHT = 16;
/** Browsers make nothing higher than some 16 million pixels: beyond that a pixel stands for more. */
const HIGHEST = 12_000_000;
/** Characters of a cell that are shown; its title has more of them. */
const SHOWN = 300;

/** A scrolling table of a result, which may still grow: `grow` when it has. */
export function grid(rows: Rows, label: string): { element: HTMLElement; grow: () => void } {
  const body = h("tbody");
  const head = h("tr", {}, h("th", { class: "nth", scope: "col" }, h("span", { class: "hidden" }, "Row")), ...rows.columns.map((c) => h("th", { scope: "col", title: c.type, class: c.number ? "right" : undefined }, c.name || "(No column name)")));
  const columns = h("colgroup");
  const table = h("table", { class: "rows" }, columns, h("thead", {}, head), body);
  const space = h("div", { class: "rows-space" }, table);
  const element = h("div", { class: "rows-view", tabindex: 0, role: "region", "aria-label": label, scroll: () => draw() }, space);
  let [first, drawn, high] = [-1, "", 0];

  const longest = rows.columns.map((c) => Math.max(c.name.length, 4));
  let [wide, looked] = ["", 0];
  /** As wide as what has been seen: the first rows, and those in sight. */
  const widths = (seen: (string | null)[][]) => {
    for (; looked < Math.min(rows.length, 100); looked++) seen.push(rows.row(looked));
    for (const row of seen) row.forEach((cell, i) => (longest[i] = Math.max(longest[i], cell?.length ?? 4)));
    const all = [Math.max(4, count(rows.length).length), ...longest.map((n) => Math.min(48, n))];
    if (wide === all.join()) return;
    wide = all.join();
    set(
      columns,
      ...all.map((n) => {
        const column = h("col");
        column.style.width = `calc(${n + 1}ch + 16px)`;
        return column;
      }),
    );
    table.style.width = `calc(${all.reduce((sum, n) => sum + n + 1, 0)}ch + ${16 * all.length}px)`;
  };
  const most = () => Math.max(0, rows.length - SIGHT);
  const draw = () => {
    const room = element.scrollHeight - element.clientHeight;
    const at = room > 0 ? element.scrollTop / room : 0;
    first = rows.length * ROW <= HIGHEST ? Math.floor(element.scrollTop / ROW) : Math.round(at * most());
    first = Math.max(0, Math.min(first, most()));
    const last = Math.min(rows.length, first + SIGHT);
    const now = `${first} ${last}`;
    if (now === drawn) return;
    drawn = now;
    const inSight = Array.from({ length: last - first }, (_, i) => rows.row(first + i));
    widths([...inSight]);
    set(
      body,
      ...inSight.map((row, i) => {
        const cut = rows.cuts.filter((c) => c.row === first + i);
        const cells = row.map((cell, c) => {
          if (cell === null) return h("td", { class: "null" }, "NULL");
          const whole = cut.find((x) => x.column === c);
          if (whole) return h("td", { class: "cut", title: `Only the first ${count(cell.length)} of its ${count(whole.characters)} characters are here.` }, `${cell.slice(0, SHOWN)}… (cut)`);
          const long = cell.length > SHOWN;
          return h("td", { class: rows.columns[c].number ? "right" : undefined, title: cell.length > 40 ? cell.slice(0, 4000) : undefined }, long ? `${cell.slice(0, SHOWN)}…` : cell);
        });
        return h("tr", { "aria-rowindex": first + i + 2 }, h("td", { class: "nth" }, count(first + i + 1)), ...cells);
      }),
    );
  };
  const grow = () => {
    table.setAttribute("aria-rowcount", String(rows.length + 1));
    const height = Math.min(rows.length * ROW, HIGHEST) + ROW + 8;
    if (height !== high) {
      high = height;
      space.style.height = `${height}px`;
      element.style.height = `${Math.min(rows.length, SIGHT) * ROW + ROW + 24}px`;
    }
    widths([]);
    draw();
  };
  grow();
  return { element, grow };
}
