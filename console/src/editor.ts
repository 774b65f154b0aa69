// The editor of statements: a file of its own, loaded when the page Query opens. It lives in a shadow root, where its styles are
// sheets and no elements, as the console's policy asks.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MSSQL, sql, type SQLNamespace } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface Editor {
  text: () => string;
  /** What is selected; all of it, when nothing is. With the line at which it begins. */
  wanted: () => { text: string; line: number };
  put: (text: string) => void;
  names: (schema: SQLNamespace, tables: Map<string, string[]>) => void;
  focus: () => void;
  stop: () => void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--line-1)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--line-3)" },
  { tag: tags.number, color: "var(--line-2)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--line-4)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "13px", border: "1px solid var(--border)", borderRadius: "6px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", minHeight: "140px", maxHeight: "45vh", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--back)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--grid) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--border)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  // All of the list is in sight: one that scrolls would have to take the focus, and the editor keeps that.
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { maxHeight: "none", overflow: "hidden" },
  ".cm-panels": { backgroundColor: "var(--back)", color: "var(--text)" },
});

/** Columns of the tables that the text names, without a table's name before them. */
function columnsOf(tables: Map<string, string[]>) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w@#$]+/);
    if (!word && !context.explicit) return null;
    const before = context.state.sliceDoc(Math.max(0, (word?.from ?? context.pos) - 1), word?.from ?? context.pos);
    if (before === "." || before === "@") return null;
    const named = new Set(context.state.doc.toString().toLowerCase().match(/[\w#$]+/g) ?? []);
    const options = [...tables].filter(([table]) => named.has(table)).flatMap(([table, columns]) => columns.map((label) => ({ label, type: "property", detail: table, boost: 1 })));
    return options.length ? { from: word?.from ?? context.pos, options, validFor: /^\w*$/ } : null;
  };
}

/** What is typed over a selection is put in here: browsers would give it the selection's style, which the console's policy refuses. */
function typedOver(event: InputEvent, view: EditorView): boolean {
  const [{ from, to, empty }, text] = [view.state.selection.main, event.data];
  if (empty || !text || event.inputType !== "insertText" || view.composing) return false;
  event.preventDefault();
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert))) view.dispatch(insert());
  return true;
}

export function make(place: HTMLElement, text: string, run: () => void, changed: () => void): Editor {
  const root = place.attachShadow({ mode: "open" });
  const language = new Compartment();
  const state = EditorState.create({
    doc: text,
    extensions: [
      Prec.highest(keymap.of(["Mod-Enter", "F5", "Mod-e"].map((key) => ({ key, preventDefault: true, run: () => (run(), true) })))),
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ maxRenderedOptions: 12 }),
      highlightActiveLine(),
      highlightSelectionMatches(),
      tooltips({ position: "absolute" }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Statements" }),
      EditorView.domEventHandlers({ beforeinput: (event, view) => typedOver(event as InputEvent, view) }),
      // Tab goes on to the next button, as everywhere on the page.
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      language.of(sql({ dialect: MSSQL, upperCaseKeywords: true })),
      syntaxHighlighting(colours),
      look,
      EditorView.updateListener.of((update) => update.docChanged && changed()),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    text: () => view.state.doc.toString(),
    wanted: () => {
      const { from, to, empty } = view.state.selection.main;
      return empty ? { text: view.state.doc.toString(), line: 0 } : { text: view.state.sliceDoc(from, to), line: view.state.doc.lineAt(from).number - 1 };
    },
    put: (all) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: all } }),
    names: (schema, tables) =>
      view.dispatch({
        effects: language.reconfigure([sql({ dialect: MSSQL, upperCaseKeywords: true, schema, defaultSchema: "dbo" }), MSSQL.language.data.of({ autocomplete: columnsOf(tables) })]),
      }),
    focus: () => view.focus(),
    stop: () => view.destroy(),
  };
}
