// The lab's reports in Chromium: each experiment's page, in both themes and widths and as it prints, with its record beside it.
//
// The end-to-end tests leave the record of each experiment beside the binary, in lab-reports; an experiment that has none there is run
// here, at the tiny scale. The pages are written anew from the records by the binary that is tested.

import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { findings } from "./support.mjs";

const lab = (...words) => execFileSync(process.env.TAFFRAIL_BINARY, ["lab", ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** A page for each experiment that the binary has, and one that compares two runs. */
function pages(say) {
  const folder = join(dirname(process.env.TAFFRAIL_BINARY), "lab-reports");
  const place = (name) => join(folder, `${name}-tiny`);
  mkdirSync(folder, { recursive: true });
  const names = JSON.parse(lab("list", "--json")).map((e) => e.name);
  assert.ok(names.length >= 13, `${names}`);
  const missing = names.filter((name) => {
    if (!existsSync(join(place(name), "result.json"))) return true;
    // The record of another version is no record.
    try {
      lab("report", place(name));
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length > 0) {
    say(`no reports of ${missing.join(", ")}: they are made`);
    for (const name of missing) rmSync(place(name), { recursive: true, force: true });
    lab("run", ...missing, "--scale", "tiny", "--repeat", "2", "--yes", "--out", folder);
  }
  const compared = join(folder, "compare.html");
  lab("compare", place("loop"), join(place("loop"), "report.html"), "--out", compared);
  return [...names.map((name) => [name, join(place(name), "report.html"), join(place(name), "result.json")]), ["compare", compared, null]];
}

/** Figures of a page, as numbers and as read; bars, and the highest point of each curve. */
function shown() {
  const number = (text) => Number(/-?[\d,.]+/.exec(text)?.[0].replaceAll(",", ""));
  const all = (within, what) => [...within.querySelectorAll(what)];
  return {
    figures: all(document, "data").map((d) => ({ name: d.dataset.figure, value: Number(d.value), text: number(d.textContent) })),
    bars: all(document, ".bars").map((chart) => ({
      end: number(all(chart, ".ticks span").at(-1).textContent),
      rows: all(chart, ".row:not(.axis)").map((row) => ({
        widths: all(row, "svg rect").map((r) => Number(r.getAttribute("width"))),
        values: all(row, "data").map((d) => Number(d.value)),
      })),
    })),
    curves: all(document, ".panel").map((panel) => ({
      label: panel.querySelector(".of").textContent,
      highest: number(panel.querySelector(".top").textContent.replace("highest", "")),
      end: number(panel.querySelector(".y").textContent),
      // Units of the drawing: 150 is 0, 4 the end of the axis.
      top: Math.min(150, ...[...panel.querySelector(".line").getAttribute("d").matchAll(/[V ](-?[\d.]+)/g)].map((m) => Number(m[1]))),
    })),
  };
}

/** Texts of one line that run into each other, and texts that are cut off. */
function collisions() {
  const found = [];
  for (const line of document.querySelectorAll(".of, .x, .ticks, .keys, .row, ul.claims li")) {
    const boxes = [...line.children].filter((c) => c.textContent.trim() && c.tagName !== "svg").map((c) => [c.textContent.trim(), c.getBoundingClientRect()]);
    for (const [i, [a, p]] of boxes.entries()) {
      for (const [b, q] of boxes.slice(i + 1)) {
        if (p.width > 1 && q.width > 1 && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) found.push(`'${a}' over '${b}'`);
      }
    }
  }
  for (const e of document.querySelectorAll(".said, .label, .of, .y, .unit, dd, h1, h3, h4")) {
    if (e.getBoundingClientRect().right > innerWidth + 1) found.push(`'${e.textContent.trim().slice(0, 40)}' leaves the window`);
  }
  return found;
}

/** The numbers of a page are those of its record, and its drawings are as long and as high as its numbers. */
function agrees(name, page, record) {
  // Three digits, below 1 two.
  const near = (a, b) => {
    const size = Math.abs(b);
    const room = size >= 1 ? size * 0.0051 : size >= 0.09 ? 0.0051 : size >= 0.009 ? 0.000_51 : 0.000_051;
    return Math.abs(a - b) <= room;
  };
  if (record) {
    const told = new Map(record.figures.map((f) => [`${f.variant}/${f.measure}/${f.figure}`, f.median]));
    const named = page.figures.filter((f) => f.name);
    for (const f of named) assert.equal(f.value, told.get(f.name), `${name}: ${f.name}`);
    const there = new Set(named.map((f) => f.name));
    assert.deepEqual([...told.keys()].filter((f) => !there.has(f)), [], `${name}: figures that are not shown`);
  }
  assert.ok(page.figures.length > 0 && page.bars.length > 0, `${name}: ${page.figures.length} figures, ${page.bars.length} drawings`);
  for (const f of page.figures) assert.ok(near(f.text, f.value), `${name}: ${f.name ?? "a bar"} is ${f.value} and reads ${f.text}`);
  for (const { end, rows } of page.bars) {
    for (const { widths, values } of rows) {
      assert.equal(widths.length, values.length, name);
      widths.forEach((width, i) => assert.ok(Math.abs(width - (values[i] / end) * 1000) <= 6, `${name}: a bar of ${values[i]} on an axis to ${end} is ${width} of 1000 wide`));
    }
  }
  for (const { label, highest, end, top } of page.curves) {
    const wanted = 150 - (highest / end) * 146;
    assert.ok(Math.abs(top - wanted) <= 1.5, `${name}, ${label}: the curve reaches ${top}, ${wanted} is wanted`);
  }
}

const VIEWS = [
  { theme: "light", width: 390, media: "screen", often: true },
  { theme: "dark", width: 1280, media: "screen", often: true },
  { theme: "light", width: 1280, media: "screen", often: false },
  { theme: "dark", width: 390, media: "screen", often: false },
  // A4 at 96 dpi without its margins; a dark screen prints on white paper.
  { theme: "dark", width: 718, media: "print", often: true },
];

/** Problems of a page as it is seen now: beside the window, over each other, not printed, without contrast. */
async function seen(page, media, rules) {
  const found = [];
  if (media === "print") {
    const tables = () => [...document.querySelectorAll("details:not(.script) > :not(summary)")].filter((e) => !e.checkVisibility()).length;
    const hidden = await page.evaluate(tables);
    if (hidden > 0) found.push(`${hidden} closed tables are not printed`);
    const cut = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll("table, pre")].map((e) => e.getBoundingClientRect().right - innerWidth)));
    if (cut > 0) found.push(`${Math.round(cut)} px of a table are beside the paper`);
  }
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  const beside = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (beside > 0) found.push(`${beside} px are beside the window`);
  return [...found, ...(await page.evaluate(collisions)), ...(await findings(page, rules))];
}

/** The keys of a record are those that docs/lab-experiments.md has, each in its row of the table. */
function described(records) {
  const page = readFileSync(new URL("../../docs/lab-experiments.md", import.meta.url), "utf8").split("## The result as JSON")[1];
  const words = (text) => [...text.matchAll(/`(\w[\w-]*)`/g)].map((m) => m[1]);
  const rows = new Map();
  for (const [, heads, text] of page.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)) for (const key of words(heads)) rows.set(key, new Set(words(text)));
  // Texts by names that an experiment gives, and the document, which has a table of its own.
  const named = new Set(["files", "values", "document"]);
  const keys = (value, found = new Set()) => {
    if (Array.isArray(value)) value.forEach((v) => keys(v, found));
    else if (value && typeof value === "object") for (const [key, inside] of Object.entries(value)) found.add(key) && !named.has(key) && keys(inside, found);
    return found;
  };
  const verdicts = ["seen", "not-seen", "undecided", "left-out"];
  for (const record of records) assert.deepEqual(Object.keys(record).sort(), [...rows.keys()].sort(), "the keys of a record");
  for (const [key, told] of rows) {
    // A server of the lab's own shows everything: nothing is left out.
    if (records.every((record) => Array.isArray(record[key]) && record[key].length === 0)) continue;
    const there = new Set(records.flatMap((record) => (key === "values" ? [] : [...keys(record[key])])));
    assert.deepEqual([...there].sort(), [...told].filter((word) => !verdicts.includes(word)).sort(), `the keys of ${key}`);
  }
}

/** `all`: every theme and width of each page, with pictures in `folder`. */
export async function reports(browser, { all, folder, say, problems }) {
  const views = VIEWS.filter((view) => all || view.often);
  const made = pages(say);
  described(made.filter(([, , json]) => json).map(([, , json]) => JSON.parse(readFileSync(json, "utf8"))));
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("request", (r) => /^(file|data):/.test(r.url()) || complaints.push(`asks for ${r.url()}`));
  for (const [name, file, json] of made) {
    await page.goto(pathToFileURL(file).href);
    agrees(name, await page.evaluate(shown), json && JSON.parse(readFileSync(json, "utf8")));
    for (const view of views) {
      const { theme, width, media } = view;
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ media, colorScheme: theme });
      if (all || media === "print") await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = false)));
      if (all) await page.screenshot({ path: `${folder}/report-${name}-${media}-${theme}-${width}.png`, fullPage: true });
      // The elements are the same in each view; their colours are not.
      for (const problem of await seen(page, media, view === views[0] ? null : ["color-contrast"])) problems.push(`report of ${name}, ${media} ${theme} ${width}: ${problem}`);
    }
    assert.deepEqual(complaints, [], `the browser complains of the report of ${name}`);
  }
  await context.close();
  say(`reports: ${made.length} pages, ${views.length} views of each`);
}
