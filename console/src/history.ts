// The statements that have been run on the page Query, kept by the browser.

import { h, set } from "./dom";
import { seconds } from "./units";

interface Run {
  text: string;
  database: string;
  /** Unix time, ms. */
  at: number;
  ms: number;
  how: string;
}

/** Runs that are kept, and characters of each. */
const KEPT = 100;
const CHARACTERS = 8000;
/** What may have a password in it is kept nowhere. */
const SECRET = /password|secret|pwd|passphrase|credential|pwdencrypt|addlogin/i;

export function runs(): Run[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem("runs") ?? "[]");
    if (Array.isArray(kept)) return kept;
  } catch {
    // Nothing, or nothing that can be read.
  }
  return [];
}

/** Notes a run: the same text anew takes the place of the one before. */
export function note(run: Run): void {
  if (!run.text.trim() || run.text.length > CHARACTERS || SECRET.test(run.text)) return;
  const all = [run, ...runs().filter((r) => r.text !== run.text || r.database !== run.database)].slice(0, KEPT);
  try {
    localStorage.setItem("runs", JSON.stringify(all));
  } catch {
    // The browser keeps no more: the page works without.
  }
}

/** Shows the runs; the one that is chosen is handed over. */
export function showRuns(chosen: (run: Run) => void): void {
  const words = h("input", { type: "search", id: "run-words", placeholder: "words", size: 24, input: () => draw() });
  const list = h("div", { class: "scroll runs", tabindex: 0, role: "region", "aria-label": "Statements that were run" });
  const forget = () => {
    localStorage.removeItem("runs");
    draw();
  };
  const dialog = h(
    "dialog",
    { "aria-label": "Statements that were run" },
    h("h2", {}, "Statements that were run, the newest first"),
    h("div", { class: "row" }, h("label", { for: "run-words" }, "With"), words),
    list,
    h("p", { class: "state" }, "This browser keeps the last hundred, but none that may have a password in it."),
    h(
      "form",
      { method: "dialog", class: "row" },
      h("button", { class: "main" }, "Close"),
      h("button", { type: "button", click: forget }, "Forget all"),
    ),
  );
  const take = (run: Run) => {
    dialog.close();
    chosen(run);
  };
  const draw = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = runs().filter((r) => wanted.every((w) => r.text.toLowerCase().includes(w)));
    set(
      list,
      ...all.map((r) =>
        h(
          "button",
          { type: "button", class: "run", click: () => take(r) },
          h("code", {}, r.text.length > 300 ? `${r.text.slice(0, 300)}…` : r.text),
          h("small", {}, `${new Date(r.at).toLocaleString("en-GB")} · ${r.database} · ${r.how} in ${seconds(r.ms / 1000)}`),
        ),
      ),
      all.length ? null : h("p", { class: "state" }, "None yet."),
    );
  };
  draw();
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
