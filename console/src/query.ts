// The statements behind the figures.

import { h } from "./dom";
import { get } from "./server";

let open: (text: string) => void = () => {};

/** Where statements can be run. */
export function opensWith(opener: (text: string) => void): void {
  open = opener;
}

let known: Record<string, string> | null = null;

/** The statement behind a figure. */
export async function statement(name: string): Promise<string> {
  known ??= await get("/api/queries");
  return known?.[name] ?? "";
}

/** Shows a statement, so that anybody can ask the same. */
export async function showQuery(name: string): Promise<void> {
  const text = await statement(name);
  const copied = h("span", { class: "muted", "aria-live": "polite" });
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    copied.textContent = "Copied.";
  };
  const dialog = h(
    "dialog",
    { "aria-label": "Statement" },
    h("h2", {}, "The statement behind it"),
    h("pre", { tabindex: 0 }, text),
    h("form", { method: "dialog", class: "row" }, h("button", { class: "main" }, "Close"), h("button", { type: "button", click: () => void copy() }, "Copy"), h("button", { type: "button", click: () => (dialog.close(), open(text)) }, "Open in Query"), copied),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Asks before something that cannot be taken back. */
export function confirmed(question: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { "aria-label": question },
      h("p", {}, question),
      h(
        "form",
        { method: "dialog", class: "row" },
        h("button", { class: "danger", value: "yes" }, yes),
        h("button", { value: "no", autofocus: true }, "Leave it"),
      ),
    );
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
