// What each page shows while the server works: its figures move, and they are those that the views have at the same time.

import { strict as assert } from "node:assert";
import { pause, show } from "./support.mjs";

const number = (text) => Number(String(text).replaceAll(/[^\d.eE-]/g, ""));
const cells = (page, rows) => page.locator(rows).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));

/** Reads something of the page again and again until it is as wanted. */
export async function until(what, read, wanted, ms = 15_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > end) throw new Error(`${what}: ${JSON.stringify(value)?.slice(0, 600)}`);
    await pause(150);
  }
}

/** A total that only grows lies between what the view says before and after. */
async function between(what, sql, ask, read) {
  // The page is up to date when its figure is not older than what the view said first.
  const before = Number((await sql.run(ask))[0][0]);
  const shown = await until(what, read, (n) => Number.isFinite(n) && n >= before);
  const after = Number((await sql.run(ask))[0][0]);
  assert.ok(shown <= after, `${what}: ${before} <= ${shown} <= ${after}`);
  await until(`${what} moves`, read, (n) => n > shown);
}

/** A rate is that of the view over the same seconds, by and large. */
async function rate(what, sql, ask, read) {
  const views = [];
  const shown = [];
  let last = null;
  for (let i = 0; i < 6; i++) {
    const now = [performance.now(), Number((await sql.run(ask))[0][0])];
    if (last) views.push(((now[1] - last[1]) * 1000) / (now[0] - last[0]));
    last = now;
    shown.push(await read());
    await pause(900);
  }
  const [least, most] = [Math.min(...views) * 0.4, Math.max(...views) * 2.5];
  const fits = shown.filter((n) => n >= least && n <= most).length;
  assert.ok(fits >= 3, `${what}: the page says ${shown}, the view ${views.map(Math.round)}`);
  assert.ok(new Set(shown).size > 1, `${what} does not move: ${shown}`);
}

const counter = (name, instance) => `SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = '${name}' AND instance_name = '${instance}'`;

export const CHECKS = {
  overview: async (page, sql) => {
    const legend = async () => number(await page.locator(".legend span", { hasText: "transactions" }).locator("b").innerText());
    await until("transactions", legend, (n) => n > 0);
    await rate("transactions per second", sql, counter("Transactions/sec", "_Total"), legend);
    const waiters = (await sql.run("SELECT session_id, blocking_session_id FROM sys.dm_exec_requests WHERE blocking_session_id <> 0 AND wait_type LIKE 'LCK%' AND wait_time > 1500 ORDER BY 1")).map((r) => r.join(" < "));
    assert.equal(waiters.length, 2);
    await until(
      "the blocking tree",
      async () => (await page.locator("tr.blocked").evaluateAll((rows) => rows.map((r) => `${r.cells[0].innerText.replace("↳", "").trim()} < ${/session (\d+)/.exec(r.cells[4].innerText)?.[1]}`))).sort(),
      (shown) => JSON.stringify(shown) === JSON.stringify(waiters.sort()),
    );
    assert.match(await page.locator("tr.blocks").first().innerText(), /blocks 2/);
    // Who waits for long asks for somebody, and so does a database that is away.
    await sql.run("CREATE DATABASE away");
    await sql.run("ALTER DATABASE away SET OFFLINE");
    const asks = () => page.locator("section.alerts").innerText();
    await until("alerts", asks, (text) => /Session \d+ has waited .* for session \d+\./.test(text) && text.includes("Database away is OFFLINE"), 40_000);
    await sql.run("DROP DATABASE away");
    await until("an alert that is over", asks, (text) => !text.includes("away"), 20_000);
    // Two wait for locks, and have not stopped: that is 2 s of waiting each second.
    const locks = async () => number(await page.locator("section", { hasText: "Waits by class" }).locator(".legend span", { hasText: /^locks/ }).locator("b").innerText());
    await until("waits that go on", locks, (ms) => ms > 1000 && ms < 4000);
    // The past is there when the page is opened: points from before this page.
    const drawn = await page.evaluate(async () => (await (await fetch("/api/history")).json()).points.ago.length);
    assert.ok(drawn > 0, "the server has kept nothing");
    await page.selectOption("#range", { label: "15 min" });
    await until("the axis", () => page.locator("#range").inputValue(), (v) => v === "900");
    await page.selectOption("#range", { label: "3 min" });
  },
  counters: async (page, sql) => {
    const last = async () => number(await page.locator("main tbody tr", { hasText: "Log Flushes/sec" }).locator("td").nth(2).innerText());
    await until("log flushes", last, (n) => n > 0);
    // The legend says the counter's own value, and beside it by how much it is drawn larger or smaller.
    const legend = () => page.locator(".legend span", { hasText: "Log Bytes Flushed/sec" }).locator("b").innerText();
    const first = (text) => number(text.split(" ")[0]);
    const said = await until("bytes of log", legend, (text) => first(text) > 0);
    const of = async () => number(await page.locator("main tbody tr", { hasText: "Log Bytes Flushed/sec" }).locator("td").nth(2).innerText());
    assert.match(said, /^[\d,.]+ per s \(drawn × 0\.\d+\)$/);
    await until("the legend's value is the table's", async () => [await legend(), await of()], ([text, value]) => first(text) === value && value > 1000);
    for (const preset of ["loop", "growth", "vlfs", "lazy"]) {
      await page.selectOption("#preset", preset);
      await until(`counters of ${preset}`, () => cells(page, "main tbody tr"), (all) => all.length > 3 && all.every((r) => r[6] !== "not there" && r[2] !== "–"));
    }
    await page.selectOption("#preset", "commits");
    await rate("log flushes per second", sql, counter("Log Flushes/sec", "_Total"), last);
  },
  waits: async (page, sql) => {
    await page.selectOption("#period", { label: (await page.locator("#period option").allInnerTexts()).find((t) => /start/i.test(t)) });
    const waits = async () => number(await page.locator("main tbody tr", { has: page.locator("code", { hasText: /^WRITELOG$/ }) }).locator("td").nth(3).innerText());
    await between("waits for WRITELOG", sql, "SELECT waiting_tasks_count FROM sys.dm_os_wait_stats WHERE wait_type = 'WRITELOG'", waits);
    // And of one session that waits much.
    const view = "FROM sys.dm_exec_session_wait_stats WHERE wait_type = 'WRITELOG'";
    const [[id]] = await sql.run(`SELECT TOP (1) session_id ${view} ORDER BY waiting_tasks_count DESC`);
    await page.selectOption("#wait-session", "");
    // Who is blocked counts while he is blocked.
    await page.selectOption("#period", "10");
    const locked = async () => (await cells(page, "main tbody tr")).filter((r) => r[0].startsWith("LCK_")).map((r) => r[2]);
    await until("waits for locks that go on", locked, (all) => all.length > 0 && all.every((text) => / s$/.test(text)));
    await page.selectOption("#period", "all");
    await page.selectOption("#wait-session", id);
    await between(`waits of session ${id}`, sql, `SELECT SUM(waiting_tasks_count) ${view} AND session_id = ${id}`, waits);
  },
  log: async (page, sql) => {
    const [[id, vlfs, mb]] = await until("the log stands", () => sql.run("SELECT DB_ID('shop'), total_vlf_count, total_log_size_mb FROM sys.dm_db_log_stats(DB_ID('shop'))"), (r) => r.length === 1);
    await page.selectOption("#database", id);
    const cards = () => page.locator("dl.cards").innerText();
    await until("VLFs of the log", cards, (text) => new RegExp(`VLFs\\s+(${vlfs}|${Number(vlfs) + 1}),`).test(text));
    assert.ok(Number(mb) > 0);
    const end = async () => {
      const lsn = /End\s+([0-9a-f]{8}):([0-9a-f]{8}):([0-9a-f]{4})/.exec(await cards());
      return lsn ? Number.parseInt(lsn[1], 16) * 2 ** 32 + Number.parseInt(lsn[2], 16) : Number.NaN;
    };
    const ask = "SELECT CONVERT(bigint, CONVERT(varbinary(8), '0x' + LEFT(log_end_lsn, 8) + SUBSTRING(log_end_lsn, 10, 8), 1)) FROM sys.dm_db_log_stats(DB_ID('shop'))";
    await between("the log's end", sql, ask, end);
    await until("flushes", () => page.locator(".legend b").first().innerText(), (text) => /KB/.test(text));
    // Who holds it, and what ends that.
    const [[holder]] = await sql.run("SELECT session_id FROM sys.dm_exec_sessions WHERE open_transaction_count > 0 AND status = 'sleeping' AND is_user_process = 1 AND session_id <> @@SPID");
    const held = await until("who holds the log", () => cells(page, "#holders tbody tr"), (all) => all.some((r) => r[0] === holder));
    assert.match(held.find((r) => r[0] === holder).join(" "), new RegExp(`sa\\s.*UPDATE accounts.*KILL ${holder}`, "s"));
    // Committed changes of a table, as the function has them.
    await page.fill("#changes-table", "dbo.accounts");
    await page.getByRole("button", { name: "Show changes" }).click();
    const shown = await until("changes", () => cells(page, "#changes tbody tr"), (rows) => rows.length > 3, 60_000);
    assert.ok(shown.some((r) => /UPDATE dbo.accounts/.test(r[3]) && /balance: /.test(r[4]) && /balance: /.test(r[5])), JSON.stringify(shown[0]));
    const transaction = shown.find((r) => r[2])[2];
    await page.getByRole("button", { name: `Undo script of transaction ${transaction}` }).click();
    const script = await until("the undo script", () => page.locator("#undo").innerText({ timeout: 60_000 }), (text) => text.includes("BEGIN TRANSACTION"));
    const lines = await sql.run(`SELECT statement FROM shop.taffrail.log_undo('${transaction}') ORDER BY line`);
    assert.equal(script.trimEnd(), lines.map((l) => l[0]).join("\n").trimEnd());
  },
  writes: async (page, sql) => {
    // Of each file how much and how large: the log's writes are at most 60 KiB and a header.
    const file = async () => (await cells(page, "#file-io tbody tr")).find((r) => r[0] === "shop.shop_log");
    const io = await until("I/O of the log's file", file, (r) => r && number(r[4]) > 0 && number(r[5]) > 0);
    assert.ok(io[1] === "log" && number(io[5]) >= 4 && number(io[5]) <= 64, JSON.stringify(io));
    await page.selectOption("#kind", "durable");
    await page.fill("#file", "shop_log");
    const rows = () => cells(page, "main tbody tr:has(td:nth-child(10))").then((all) => all.filter((r) => /^\d\d:/.test(r[0])));
    const first = await until("durable writes of the log", rows, (all) => all.length > 5);
    // Each row is in the view: its offset and length.
    const [, , , shownFile, offset, length] = first[0];
    assert.match(shownFile, /shop_log/);
    assert.equal(first[0][9], "log flush");
    const found = await sql.run(`SELECT length FROM taffrail.io_trace WHERE physical_name LIKE '%shop_log%' AND is_durable = 1 AND offset = ${number(offset)}`);
    assert.ok(found.some(([n]) => Math.abs(Number(n) / 1024 - number(length)) < 1), `${length}: ${found}`);
    await until("the newest write", rows, (all) => all[0][0] !== first[0][0]);
    await page.selectOption("#order", "slowest");
    const us = (text) => number(text) * (text.includes("µs") ? 1 : text.includes("ms") ? 1000 : 1e6);
    await until("the slowest first", rows, (all) => all.length > 2 && all.every((r, i) => i === 0 || us(r[7]) <= us(all[i - 1][7]) * 1.01));
  },
  databases: async (page, sql) => {
    const row = async () => (await cells(page, "#databases tbody tr")).find((r) => r[0] === "shop");
    const shop = await until("the database", row, (r) => r && r[1] === "ONLINE");
    const [[model, kb]] = await sql.run("SELECT recovery_model_desc, (SELECT SUM(size) * 8 FROM sys.master_files WHERE database_id = DB_ID('shop') AND type = 1) FROM sys.databases WHERE name = 'shop'");
    assert.equal(shop[2], model);
    assert.ok(Math.abs(number(shop[4]) - Number(kb) / 1024) < 1 || number(shop[4]) > 0, `${shop[4]}: ${kb} KB`);
    await page.getByRole("button", { name: "shop", exact: true }).click();
    const objects = () => cells(page, "#objects tbody tr");
    const accounts = await until("its tables", objects, (all) => all.some((r) => r[0] === "dbo.accounts"));
    assert.deepEqual(accounts.find((r) => r[0] === "dbo.accounts").slice(1, 3), ["table", "3"]);
    await page.getByRole("button", { name: "dbo.orders", exact: true }).click();
    const columns = await until("its columns", () => cells(page, "#columns tbody tr"), (all) => all.length === 4);
    assert.deepEqual(columns.map((r) => r.slice(0, 3)), [["id", "int", "no"], ["customer", "int", "no"], ["amount", "money", "no"], ["note", "nvarchar(200)", "yes"]]);
    assert.equal(columns[0][4], "IDENTITY");
    const [index] = await cells(page, "#indexes tbody tr");
    assert.match(index.join(" "), /^PK__orders\S* clustered, primary key id – /);
    await page.fill("#object-words", "acc");
    await until("those with these letters", objects, (all) => all.length === 1);
    await page.fill("#object-words", "");
  },
  checkpoints: async (page, sql) => {
    const row = async () => (await cells(page, "main section:nth-of-type(1) tbody tr")).find((r) => r[0] === "shop");
    const first = await until("the row of the database", row, (r) => r !== undefined && number(r[2]) >= 0);
    await until("dirty pages move", row, (r) => r && r[2] !== first[2]);
    await until(
      "the newest checkpoint",
      async () => {
        const [view] = await sql.run("SELECT TOP (1) pages, begin_lsn FROM taffrail.checkpoint_history WHERE database_name = 'shop' ORDER BY start_time DESC");
        const shown = (await cells(page, "main section:nth-of-type(2) tbody tr")).find((r) => r[1] === "shop");
        return [view, shown];
      },
      ([view, shown]) => shown && number(shown[3]) === Number(view[0]) && shown[7] === view[1],
    );
  },
  events: async (page, sql) => {
    await page.locator("#deadlocks svg[role=img]").waitFor();
    const [[xml]] = await sql.run("SELECT t.target_data FROM sys.dm_xe_session_targets t JOIN sys.dm_xe_sessions s ON s.address = t.event_session_address WHERE s.name = 'system_health' AND t.target_name = 'ring_buffer'");
    const id = /<victimProcess id="([^"]+)"/.exec(xml)[1];
    const spid = new RegExp(`<process id="${id}"[^>]* spid="(\\d+)"`).exec(xml)[1];
    assert.match(await page.locator("#deadlocks svg").innerHTML(), new RegExp(`session ${spid}: the victim`));
    const blocked = await sql.run("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE blocking_session_id <> 0 AND wait_time > 2000");
    await until("who is blocked", () => page.locator("#blocked tbody tr").count(), (n) => n >= Number(blocked[0][0]) && n > 0);
    const waited = async () => number((await page.locator("#blocked tbody tr").first().locator("td").nth(2).innerText()).split(" ").at(-2));
    const before = await waited();
    await until("how long it has waited moves", waited, (n) => n !== before);
    await until(
      "growths",
      async () => [await page.locator("#growths tbody tr").count(), Math.min(50, Number((await sql.run("SELECT COUNT(*) FROM taffrail.growth_history"))[0][0]))],
      ([shown, there]) => shown === there && there > 0,
    );
    assert.match(await page.locator("#errors").innerText(), /Severity: 18.*\s+The disk of the orders is nearly full\./);
    // Started, looked into, stopped.
    const runs = () => sql.run("SELECT COUNT(*) FROM sys.dm_xe_sessions WHERE name = 'watch'");
    await page.getByRole("button", { name: "Start watch" }).click();
    await until("it runs", runs, (r) => r[0][0] === "1");
    await sql.run("RAISERROR (N'Seen by the session.', 16, 1)", { any: true });
    await page.getByRole("button", { name: "Events of watch" }).click();
    await until("its event", () => page.locator("#ring tbody").innerText(), (text) => /error_reported.*Seen by the session\./s.test(text));
    await page.locator("#ring").getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Stop watch" }).click();
    await until("it is stopped", runs, (r) => r[0][0] === "0");
  },
  query: async (page, sql) => {
    const editor = page.locator(".cm-content");
    await editor.waitFor();
    const put = async (text) => {
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    };
    const note = page.locator(".state[data-end]");
    const run = async (text, how = "Control+Enter") => {
      await note.evaluateAll((all) => all.forEach((n) => delete n.dataset.end));
      await put(text);
      await page.keyboard.press(how);
      await note.waitFor({ timeout: 60_000 });
      return note.innerText();
    };
    // Names are completed: those of the database that is chosen.
    await page.selectOption("#query-database", "shop");
    await page.locator('#editor[data-names="shop"]').waitFor({ timeout: 30_000 });
    await put("SELECT * FROM acc");
    await page.keyboard.press("Control+Space");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "accounts" }).waitFor();
    await page.keyboard.press("Escape");
    // Several results, messages, an error with its line behind GO.
    const said = await run("SELECT name FROM sys.databases ORDER BY database_id\nSELECT 1 a, NULL b\nGO\n\nPRINT N'told'\nSELECT * FROM none_such");
    assert.match(said, /with errors/);
    assert.equal(await page.locator(".result").count(), 2);
    assert.match(await page.locator("#messages").innerText(), /told\s+Msg 208, Level 16, State 1, Line 6/);
    // What went wrong stands above the results.
    assert.match(await page.locator("#errors-of-run").innerText(), /Msg 208, Level 16, State 1, Line 6/);
    const top = (where) => page.locator(where).first().evaluate((e) => e.getBoundingClientRect().top);
    assert.ok((await top("#errors-of-run")) < (await top(".result")), "errors come first");
    const names = (await sql.run("SELECT name FROM sys.databases ORDER BY database_id")).map((r) => r[0]);
    assert.deepEqual((await cells(page, ".result:nth-of-type(1) tbody tr")).map((r) => r[1]), names);
    // The plan, as a tree, with how many rows the tables have.
    await put("SELECT o.note, a.owner FROM accounts a JOIN orders o ON o.customer = a.id WHERE a.id = 2");
    await page.getByRole("button", { name: "Plan" }).click();
    await until("a plan", () => page.locator("#results .plan").innerText(), (text) => /Clustered Index Seek.*the table has 3 rows/s.test(text));
    const nested = await page.locator("#results .plan li li .operator").evaluateAll((all) => all.map((e) => e.innerText.split(" · ")[0].split("\n")[0]));
    assert.ok(nested.length >= 3 && nested.some((t) => /Join|Loops|Match/.test(t)) && nested.some((t) => /Clustered Index Scan|Seek/.test(t)), JSON.stringify(nested));
    // An open transaction is told, and ended here.
    await run("BEGIN TRAN UPDATE accounts SET owner = N'Ada L.' WHERE id = 1");
    await page.locator(".open-transaction", { hasText: "A transaction is open" }).waitFor();
    await page.getByRole("button", { name: "Roll back" }).click();
    await page.locator(".open-transaction").waitFor({ state: "hidden" });
    assert.equal((await sql.run("SELECT owner FROM shop.dbo.accounts WHERE id = 1"))[0][0], "Ada");
    // What was run is found again, without what may be a password.
    await run("SELECT N'PASSWORD = x' AS kept_nowhere");
    await page.getByRole("button", { name: "History" }).click();
    await page.fill("#run-words", "none_such");
    await until("one run", () => page.locator("dialog .run").count(), (n) => n === 1);
    await page.fill("#run-words", "kept_nowhere");
    await until("no run", () => page.locator("dialog .run").count(), (n) => n === 0);
    await page.fill("#run-words", "none_such");
    await page.locator("dialog .run").first().click();
    assert.match(await editor.innerText(), /PRINT N'told'/);
    // A figure that moves is the view's.
    await run("SELECT COUNT(*) FROM orders WITH (NOLOCK)");
    const before = Number((await cells(page, ".result tbody tr"))[0][1]);
    await run("SELECT COUNT(*) FROM orders WITH (NOLOCK)");
    const shown = Number((await cells(page, ".result tbody tr"))[0][1]);
    const after = Number((await sql.run("SELECT COUNT(*) FROM shop.dbo.orders WITH (NOLOCK)"))[0][0]);
    assert.ok(before < shown && shown <= after, `${before} < ${shown} <= ${after}`);
    // Cancel.
    await put("WAITFOR DELAY '00:05:00'");
    await note.evaluateAll((all) => all.forEach((n) => delete n.dataset.end));
    await page.keyboard.press("F5");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator('.state[data-end="cancelled"]').waitFor();
    await run("SELECT id, owner, balance FROM accounts WITH (NOLOCK)\nSELECT TOP (200) * FROM orders WITH (NOLOCK)");
  },
  backups: async (page, sql) => {
    const there = Number((await sql.run("SELECT COUNT(*) FROM msdb.dbo.backupset"))[0][0]);
    await until("backups", () => page.locator("main section:nth-of-type(5) tbody tr").count(), (n) => n === there && n > 0);
    // The schedule, and what it has done.
    await sql.run("EXEC msdb.taffrail.set_backup_schedule @database_name = N'ledger', @full_minutes = 1440, @log_minutes = 15, @drill_minutes = 10080");
    const planned = await until("the schedule", () => cells(page, "#schedule tbody tr"), (all) => all.length === 1, 15_000);
    assert.deepEqual(planned[0].slice(0, 6), ["ledger", "every day", "–", "every 15 min", "every 7 days", "2"]);
    await sql.run("EXEC msdb.taffrail.run_backup N'ledger', 'D'");
    const runs = await until("its run", () => cells(page, "#runs tbody tr"), (all) => all.some((r) => r[1] === "ledger" && r[5] === "done"), 15_000);
    assert.match(runs.find((r) => r[1] === "ledger")[2], /full backup/);
    await sql.run("EXEC msdb.taffrail.remove_backup_schedule N'ledger'");
    const age = async () => (await cells(page, "main section:nth-of-type(1) tbody tr")).find((r) => r[0] === "shop")?.[2];
    const first = await age();
    await until("a backup's age moves", age, (now) => now !== first);
  },
  errorlog: async (page, sql) => {
    const count = async () => number((await page.locator("main .state").innerText()).split(" ")[0]);
    const before = await until("entries", count, (n) => n > 5);
    await sql.run("RAISERROR (N'Said while somebody looks.', 10, 1) WITH LOG");
    // A file may have grown since.
    const newest = async () => (await cells(page, "main tbody tr")).slice(0, 10).map((r) => r[2]);
    await until("the newest entries", newest, (texts) => texts.includes("Said while somebody looks."));
    assert.ok((await count()) > before);
  },
};

CHECKS.topqueries = async (page, sql) => {
  await sql.run("USE shop SELECT COUNT(*) told FROM bulk_rows WITH (NOLOCK) WHERE filler LIKE '%of the page%'");
  const list = () => cells(page, "#top tbody tr");
  const find = (all) => all.find((r) => r[0].startsWith("SELECT COUNT(*) told FROM bulk_rows"));
  await page.selectOption("#order", { label: "CPU of an execution" });
  const row = find(await until("a statement that has run", list, (all) => find(all) !== undefined, 20_000));
  // The page's figures are the view's.
  const figures = "FROM sys.dm_exec_query_stats q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) t WHERE t.text LIKE 'USE shop SELECT COUNT(*) told%' AND q.total_logical_reads > 0";
  const [[executions, reads, rows]] = await sql.run(`SELECT q.execution_count, q.total_logical_reads, q.total_rows ${figures}`);
  assert.deepEqual([number(row[1]), number(row[6]), number(row[9])], [Number(executions), Number(reads), Number(rows)]);
  // Each order is that of its column, from the greatest down.
  const us = (text) => number(text) * (text.includes("µs") ? 1 : text.includes("ms") ? 1000 : 1e6);
  for (const [label, column, value] of [["CPU, all executions", 2, us], ["duration, all executions", 4, us], ["pages read, all executions", 6, number], ["pages written", 8, number], ["executions", 1, number]]) {
    await page.selectOption("#order", { label });
    await until(`sorted by ${label}`, list, (all) => all.length > 3 && all.every((r, i) => i === 0 || value(r[column]) <= value(all[i - 1][column]) * 1.01));
  }
  assert.ok(!(await list()).some((r) => /sys\.dm_/.test(r[0])), "what reads the system's views is left out");
  await page.check("#system");
  await until("what reads the system's views", list, (all) => all.some((r) => /sys\.dm_/.test(r[0])));
  await page.uncheck("#system");
  await page.fill("#words", "count told bulk");
  await until("those with these words", list, (all) => all.length === 1);
  // Its plan as a tree, its figures, its whole text; by keyboard.
  await page.locator("#top tbody button.link").focus();
  await page.keyboard.press("Enter");
  const plan = await until("the plan", () => page.locator("#statement .plan-view").innerText(), (text) => /Clustered Index Scan/.test(text));
  assert.match(plan, /Stream Aggregate/);
  assert.match(plan, /object \[shop\]\.\[dbo\]\.\[bulk_rows\]/);
  assert.match(plan, /where .*filler.*LIKE/i);
  assert.match(await page.locator("#statement pre").first().innerText(), /^SELECT COUNT\(\*\) told/);
  const shown = await cells(page, "#statement tbody tr");
  assert.deepEqual(shown.map((r) => r[0]), ["CPU", "Duration", "Pages read", "Pages read from disk", "Pages written", "Rows"]);
  assert.equal(number(shown[2][1]), Number(reads));
  await page.getByRole("button", { name: "Close" }).click();
  assert.ok(await page.locator("#statement").isHidden());
  await page.fill("#words", "");
};

CHECKS.indexes = async (page, sql) => {
  await page.selectOption("#index-database", "shop");
  const use = () => cells(page, "#use tbody tr");
  const of = (all, name) => all.find((r) => r[1].startsWith(name));
  const idle = of(await until("its indexes", use, (all) => of(all, "newest_first") !== undefined), "newest_first");
  assert.match(idle[1], /nothing has read it/);
  assert.deepEqual(idle.slice(3, 6).map(number), [0, 0, 0]);
  assert.ok(number(idle[6]) > 0, "it is changed with each row");
  // Seeks, scans and changes are the view's; they move.
  const view = async () => (await sql.run("SELECT user_seeks, user_scans, user_updates FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID('shop') AND object_id = OBJECT_ID('shop.dbo.accounts') AND index_id = 1"))[0].map(Number);
  const before = await view();
  const own = async () => of(await use(), "PK__accounts");
  const row = await until("its use moves", own, (r) => r && number(r[6]) >= before[2] && number(r[3]) >= before[0]);
  const after = await view();
  assert.ok(number(row[3]) <= after[0] && number(row[4]) <= after[1] && number(row[6]) <= after[2], `${before} ${row} ${after}`);
  await page.check("#idle-only");
  await until("only those that nothing has read", use, (all) => all.length === 1 && of(all, "newest_first") !== undefined);
  assert.match(await page.locator("#use .state").innerText(), /^1 index that nothing has read takes [\d.]+ [KM]B\.$/);
  await page.uncheck("#idle-only");
  // An index that a plan would have used, and the statement that makes it.
  const filler = "DECLARE @i int = 0 BEGIN TRAN WHILE @i < 2000 BEGIN INSERT wanted (customer, filler) VALUES (@i % 100, 'x') SET @i += 1 END COMMIT";
  await sql.run("USE ledger CREATE TABLE wanted (id int IDENTITY PRIMARY KEY, customer int NOT NULL, filler char(200) NOT NULL)");
  await sql.run(`USE ledger ${filler}`);
  await sql.run("USE ledger SELECT MAX(filler) FROM wanted WHERE customer = 7");
  const list = () => cells(page, "#missing tbody tr");
  const wanted = await until("an index that is missing", list, (all) => all.some((r) => r[0] === "[ledger].[dbo].[wanted]"), 20_000);
  const text = wanted.find((r) => r[0] === "[ledger].[dbo].[wanted]")[1];
  assert.equal(text.replaceAll(/\s+/g, " "), "CREATE INDEX [IX_wanted_customer] ON [ledger].[dbo].[wanted] ([customer]) INCLUDE ([filler])");
  await sql.run(text);
  await until("it is there, and so not missing", list, (all) => !all.some((r) => r[0] === "[ledger].[dbo].[wanted]"), 20_000);
  await sql.run("USE ledger DROP TABLE wanted");
  await sql.run("USE master");
};

CHECKS.lab = async (page) => {
  await page.locator("#experiment-loop").waitFor();
  assert.deepEqual(await page.locator(".choice b").allInnerTexts().then((all) => all.slice(0, 5).sort()), ["checkpoints", "growth", "lazy", "loop", "vlfs"]);
  await page.selectOption("#scale", "tiny");
  assert.match(await page.locator("main section").first().locator(".state").innerText(), /^About .* of disk/);
  // Other products run beside a server of the lab's own, in experiments that have work for them.
  const peers = page.getByLabel("also SQLite, PostgreSQL and MariaDB, where installed");
  await peers.check();
  const asked = [];
  await page.route("**/api/lab/run", (route) => (asked.push(route.request().postDataJSON()), route.fulfill({ json: {} })));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until("it is asked for them", async () => asked.length, (n) => n === 1);
  assert.deepEqual(asked[0], { experiment: "loop", scale: "tiny", password: null, peers: true });
  await page.unroute("**/api/lab/run");
  await page.locator("#experiment-tpcc").check();
  assert.ok(await page.locator("#peers").isHidden());
  await page.locator("#experiment-loop").check();
  await page.selectOption("#place", "here");
  assert.ok(await page.locator("#peers").isHidden());
  await page.selectOption("#place", "own");
  await page.selectOption("#scale", "tiny");
  await peers.uncheck();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until("the run goes on", () => page.locator("#run-state").innerText(), (text) => /^loop \(tiny\): .* so far\.$/.test(text));
  await until("it is done", () => page.locator("#run-state").innerText(), (text) => /^loop \(tiny\): /.test(text) && !/so far/.test(text), 90_000);
  assert.equal(await page.locator("#run-state").innerText(), "loop (tiny): done.");
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "loop-tiny", exact: true }).first().click()]);
  await opened.waitForLoadState();
  assert.match(await opened.locator("h1").innerText(), /\w/);
  assert.ok((await opened.locator("svg").count()) > 0, "the page of the run has drawings");
  await opened.close();
  // On this server it runs in the name of who gives his password.
  await page.selectOption("#place", "here");
  await page.fill("#lab-password", "wrong");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until("a wrong password is told", () => page.locator("#run-state").innerText(), (text) => /Login failed/.test(text), 30_000);
};

export async function check(page, server, name, sql) {
  await show(page, server, name);
  await CHECKS[name](page, sql);
}
