// What somebody who has read nothing finds by himself: each tour begins at the first page and follows what it sees.

import { strict as assert } from "node:assert";
import { until } from "./pages.mjs";
import { pause, session } from "./support.mjs";

const rows = (page, where) => page.locator(where).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
/** The operations on files, which stand below the files' own table. */
const operations = (page) => rows(page, 'section:has(h2:text-is("Operations on files")) tbody tr');
const follow = (page, title) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: title, exact: true }).click();
const begin = async (page, server) => {
  await page.goto(server.url);
  await page.locator("main .panel").first().waitFor();
};

export const TOURS = {
  // Each INSERT commits by itself, and waits for its own write of the log.
  "why-a-loop-of-commits-is-slow": async (page, server) => {
    await begin(page, server);
    const waits = page.locator("section", { hasText: "Waits by class" }).locator(".legend span", { hasText: "log writes" }).locator("b");
    await until("log writes are what is waited for", () => waits.innerText(), (text) => Number(text.replaceAll(/[^\d.]/g, "")) > 10);
    await follow(page, "Waits");
    const first = await until("the longest wait", () => rows(page, "main tbody tr"), (all) => all.some((r) => r[0] === "WRITELOG" && r[7].length > 20));
    assert.match(first.find((r) => r[0] === "WRITELOG")[7], /commit/i);
    await follow(page, "Writes");
    await page.selectOption("#kind", "durable");
    await until("a write for each commit", () => rows(page, "main tbody tr"), (all) => all.filter((r) => r[2] === "WRITE" && /_log/.test(r[3])).length > 20);
  },
  // The first row of the sessions blocks, those below wait; its button ends it.
  "who-blocks-whom": async (page, server) => {
    const [holder, waiter] = [session(server, "shop"), session(server, "shop")];
    await holder.run("BEGIN TRAN UPDATE accounts SET owner = N'Edsger W.' WHERE id = 3");
    const [[id]] = await holder.run("SELECT @@SPID");
    const waits = waiter.run("UPDATE accounts SET owner = N'E. W.' WHERE id = 3", { any: true });
    await begin(page, server);
    const head = page.locator("tr.blocks", { has: page.locator("td:first-child", { hasText: new RegExp(`^\\s*${id}$`) }) });
    await head.waitFor({ timeout: 15_000 });
    assert.match(await head.innerText(), /blocks [1-9]/);
    await until("who waits for it", () => page.locator("tr.blocked", { hasText: `session ${id},` }).count(), (n) => n > 0);
    await head.getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: `End session ${id}` }).click();
    await waits;
    await until("it has gone", () => head.count(), (n) => n === 0);
    await waiter.close();
    await holder.close();
  },
  // The ring is all active; the reason and what helps stand beside it.
  "why-the-log-does-not-shrink": async (page, server) => {
    await begin(page, server);
    await follow(page, "Log");
    await page.selectOption("#database", { label: "shop" });
    await until("the reason", () => page.locator(".reason").innerText(), (text) => /LOG_BACKUP.*BACKUP LOG/.test(text));
    const active = await page.locator(".ring svg").getAttribute("aria-label");
    assert.match(active, /VLFs, \d+ of them active/);
    // What it says helps.
    const sql = session(server, "ledger");
    await page.selectOption("#database", { label: "ledger" });
    await sql.run("BACKUP DATABASE ledger TO DISK = N'ledger.bak' CREATE TABLE t (a int) BEGIN TRAN INSERT t VALUES (1)");
    const other = session(server, "ledger");
    await other.run("CREATE TABLE filler (c char(4000)) SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < 3500 BEGIN INSERT filler VALUES ('x') SET @i += 1 END COMMIT");
    await other.run("BACKUP LOG ledger TO DISK = N'ledger.trn'");
    await other.close();
    await until("an open transaction holds it", () => page.locator(".reason").innerText(), (text) => /ACTIVE_TRANSACTION.*DBCC OPENTRAN/.test(text), 30_000);
    await sql.run("ROLLBACK");
    await sql.close();
  },
  // Growths have a list of their own, with what each has cost.
  "when-it-grew": async (page, server) => {
    await begin(page, server);
    await follow(page, "Log");
    await page.selectOption("#database", { label: "ledger" });
    const grown = (name) => until(`growths of ${name}`, () => rows(page, 'section:has(h2:text-is("Growths")) tbody tr'), (r) => r.length > 0 && r[0].join(" ").includes(name));
    const all = await grown("ledger");
    assert.match(all.at(-1).join(" "), /\d{4}-\d\d-\d\d .*ledger_log.*8 MB.*24 MB.*told to.*(µs|ms|s)/s);
    // Events has the newest of all databases: what another one has grown by last is among them.
    await page.selectOption("#database", { label: "shop" });
    const [newest] = await grown("shop");
    await follow(page, "Events");
    await until("the same among all", () => page.locator("#growths").innerText(), (text) => text.includes(newest[0]));
  },
  // From so many µs on, one write is left.
  "which-write-was-slow": async (page, server) => {
    await begin(page, server);
    await follow(page, "Writes");
    await page.selectOption("#kind", "writes");
    await until("writes", () => operations(page), (r) => r.length > 20);
    await page.getByRole("button", { name: "Stop" }).click();
    await pause(1200);
    const us = (text) => Number(text.replaceAll(/[^\d.]/g, "")) * (text.includes("µs") ? 1 : text.includes("ms") ? 1000 : 1e6);
    const slowest = Math.max(...(await operations(page)).map((r) => us(r[7])));
    await page.fill("#slow", String(Math.floor(slowest * 0.9)));
    const left = await until("the slow ones", () => operations(page), (r) => r.length > 0 && r.every((o) => us(o[7]) >= slowest * 0.85));
    // Who, where, how long.
    assert.ok(left.some((r) => /\.(ldf|mdf|dwr|ndf|dw|bak|trn)?/.test(r[3]) && us(r[7]) > 0), JSON.stringify(left));
    await page.getByRole("button", { name: "Start" }).click();
  },
};
