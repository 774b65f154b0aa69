// Pages that ask for their own figures while they are shown, and files of them.

import { h } from "./dom";
import { get, Refused, type Live } from "./server";

/** What stands in a panel whose figures are refused, where the words of the server stand above. */
const NOT_SHOWN = "Not shown to this login.";

/** The rows of a part of what a page has asked for; null: they are refused, and the note of its panel says so. */
export function part(said: any, name: string, note: HTMLElement): any[] | null {
  if (said[name]) return said[name];
  note.textContent = said.refused?.[name] ?? NOT_SHOWN;
  return null;
}

/** Asks for a page at once and then every so many seconds, while it is wanted and the server is there. Until the returned function is called.
 * Where all of it is refused `got` hears an answer without parts. */
export function ask(live: Live, page: string, every: number, got: (said: any) => void, trouble: HTMLElement, wanted = () => true): () => void {
  let [asking, due] = [false, 0];
  const go = async () => {
    // A frame comes each second, if only about.
    if (asking || !wanted() || live.state === "stale" || Date.now() < due - 500) return;
    asking = true;
    due = Date.now() + every * 1000;
    try {
      const said = await get(`/api/page/${page}`);
      trouble.textContent = "";
      got(said);
    } catch (e) {
      trouble.textContent = e instanceof Refused ? e.message : "The server does not answer; trying again.";
      if (e instanceof Refused && e.status === 403) got({});
    } finally {
      asking = false;
    }
  };
  void go();
  return live.listen(() => void go());
}

/** Hands rows over as a file that spreadsheets open. */
export function saveCsv(name: string, columns: string[], rows: Iterable<unknown[]>): void {
  const cell = (v: unknown) => {
    const text = String(v ?? "");
    // A spreadsheet would take what begins like this for a formula, unless it is a number.
    const harmless = /^[=+\-@\t\r]/.test(text) && !/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(text) ? `'${text}` : text;
    return `"${harmless.replaceAll('"', '""')}"`;
  };
  // A million rows are no one string.
  const [parts, lines]: [string[], string[]] = [[], []];
  lines.push(columns.map(cell).join(","));
  for (const row of rows) {
    lines.push(row.map(cell).join(","));
    if (lines.length >= 10_000) parts.push(`${lines.splice(0).join("\r\n")}\r\n`);
  }
  parts.push(lines.join("\r\n"));
  const link = h("a", { href: URL.createObjectURL(new Blob(parts, { type: "text/csv" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
