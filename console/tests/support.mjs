// A server of the binary TAFFRAIL_BINARY on a directory of its own, work on it, and Debian's Chromium before it.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const PASSWORD = "Console-tests-1!";
const OWN = { "content-type": "application/json", "x-taffrail": "console" };

/** Each on free ports. Its directory goes with it. */
export async function startServer(...options) {
  const binary = process.env.TAFFRAIL_BINARY;
  if (!binary) throw new Error("TAFFRAIL_BINARY names the server");
  const data = mkdtempSync(join(tmpdir(), "taffrail-console-"));
  const child = spawn(binary, ["serve", "--data", data, "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", ...options], {
    env: { ...process.env, TAFFRAIL_SA_PASSWORD: PASSWORD },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", () => reject(new Error("the server has not started")));
  });
  const url = /console=(http:\/\/\S+)/.exec(ready)?.[1];
  const tds = /tds=(\S+)/.exec(ready)?.[1];
  if (!url) throw new Error(`no console: ${ready}`);
  const server = {
    url: url.replace(/\/$/, ""),
    tds,
    pid: child.pid,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
    kill: () => child.kill("SIGKILL"),
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
  };
  server.cookie = await logIn(server);
  return server;
}

/** The cookie of a login. */
export async function logIn(server, login = "sa") {
  const response = await fetch(`${server.url}/api/login`, { method: "POST", headers: OWN, body: JSON.stringify({ login, password: PASSWORD }) });
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get("set-cookie").split(";")[0];
}

/** The text of an answer, however long it takes: `fetch` gives up who is blocked for five minutes. */
function post(url, headers, body) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve(text));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(JSON.stringify(body));
  });
}

let sessions = 0;

/** A session of statements: the rows of a batch's last result; errors are thrown unless `any`. */
export function session(server, database = null) {
  const name = `test-${++sessions}`;
  const headers = { ...OWN, cookie: server.cookie };
  const send = (path, body) => post(`${server.url}${path}`, headers, { session: name, ...body });
  return {
    run: async (sql, { any = false } = {}) => {
      const text = await send("/api/query", { database, sql });
      let rows = [];
      for (const line of text.split("\n").filter(Boolean)) {
        const said = JSON.parse(line);
        if (Array.isArray(said)) rows.push(said);
        else if (said.columns) rows = [];
        else if (said.error) throw new Error(said.error);
        else if (said.message?.[1] > 10 && !any) throw new Error(`${said.message[0]}: ${said.message[5]}\n${sql}`);
      }
      return rows;
    },
    cancel: () => send("/api/query/cancel", {}),
    close: () => send("/api/query/close", {}),
  };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Databases with something in them, and sessions that go on working until `stop`. */
export async function work(server) {
  const own = session(server);
  await own.run("CREATE DATABASE shop");
  await own.run("CREATE DATABASE ledger");
  const shop = session(server, "shop");
  await shop.run(`CREATE TABLE orders (id int IDENTITY PRIMARY KEY, customer int NOT NULL, amount money NOT NULL, note nvarchar(200) NULL)
    CREATE TABLE accounts (id int PRIMARY KEY, owner nvarchar(40) NOT NULL, balance money NOT NULL)
    CREATE TABLE bulk_rows (id int IDENTITY PRIMARY KEY, filler char(2000) NOT NULL)`);
  await shop.run("CREATE INDEX newest_first ON bulk_rows (id DESC)");
  await shop.run("INSERT accounts VALUES (1, N'Ada', 100), (2, N'Grace', 200), (3, N'Edsger', 300)");
  await shop.run("UPDATE accounts SET balance = balance - 10 WHERE id = 1");
  await own.run("CREATE EVENT SESSION watch ON SERVER ADD EVENT sqlserver.error_reported ADD TARGET package0.ring_buffer");
  await deadlock(server);
  await shop.run("RAISERROR (N'The disk of the orders is nearly full.', 18, 1) WITH LOG", { any: true });
  await own.run("BACKUP DATABASE shop TO DISK = N'shop.bak'");
  await own.run("BACKUP LOG shop TO DISK = N'shop-1.trn'");
  await own.run("ALTER DATABASE ledger MODIFY FILE (NAME = ledger_log, SIZE = 24MB)");
  let goes = true;
  const loop = async (sql, database, wait) => {
    const s = session(server, database);
    while (goes) {
      await s.run(sql, { any: true });
      await pause(wait);
    }
    await s.close();
  };
  const loops = [
    loop("SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 40 BEGIN INSERT orders (customer, amount, note) VALUES (@i, @i * 1.5, N'one commit each'); SET @i += 1 END", "shop", 5),
    loop("SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 20 BEGIN INSERT orders (customer, amount) VALUES (@i, 2); SET @i += 1 END", "shop", 20),
    loop("SET NOCOUNT ON; BEGIN TRAN; DECLARE @i int = 0; WHILE @i < 50 BEGIN INSERT bulk_rows (filler) VALUES ('x'); SET @i += 1 END; COMMIT", "shop", 100),
    loop("UPDATE accounts SET balance = balance + 1 WHERE id = 3", "shop", 300),
    loop("CHECKPOINT", "shop", 4000),
    loop("SELECT COUNT(*) FROM orders WITH (NOLOCK) WHERE customer > 5", "shop", 50),
  ];
  // One holds a row, and two wait for it, one behind the other.
  const [holder, waiter, last] = [session(server, "shop"), session(server, "shop"), session(server, "shop")];
  await holder.run("BEGIN TRAN UPDATE accounts SET balance = balance + 5 WHERE id = 2");
  const blocked = [waiter.run("UPDATE accounts SET balance = balance - 5 WHERE id = 2", { any: true }), pause(300).then(() => last.run("SELECT balance FROM accounts WHERE id = 2", { any: true }))];
  return {
    stop: async () => {
      goes = false;
      await holder.run("ROLLBACK", { any: true });
      await Promise.all([...loops, ...blocked]);
      for (const s of [own, shop, holder, waiter, last]) await s.close();
    },
  };
}

/** Two sessions that wait for each other. */
export async function deadlock(server) {
  const [a, b] = [session(server, "shop"), session(server, "shop")];
  await a.run("SET DEADLOCK_PRIORITY LOW BEGIN TRAN UPDATE accounts SET balance = 1 WHERE id = 1");
  await b.run("BEGIN TRAN UPDATE accounts SET balance = 2 WHERE id = 2");
  const waits = b.run("UPDATE accounts SET balance = 2 WHERE id = 1", { any: true });
  await pause(200);
  await a.run("UPDATE accounts SET balance = 1 WHERE id = 2", { any: true });
  await waits;
  await b.run("ROLLBACK");
  await a.close();
  await b.close();
}

export async function launch() {
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("Chromium is missing: install the package chromium, or name it by CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
}

/** A page that is logged in, and whose complaints are collected. */
export async function openPage(browser, server, { theme = "light", width = 1280, height = 900, loggedIn = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  if (loggedIn) {
    const [name, value] = server.cookie.split("=");
    await context.addCookies([{ name, value, url: server.url }]);
  }
  const page = await context.newPage();
  // While pages are written: those of dist/, and not the binary's.
  if (process.env.CONSOLE_DIST) await page.route("**/assets/*.{js,css}", (route) => route.fulfill({ path: join(process.env.CONSOLE_DIST, new URL(route.request().url()).pathname.split("/").pop()) }));
  page.complaints = [];
  page.foreign = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(String(e)));
  page.on("request", (r) => r.url().startsWith(server.url) || /^(data|blob):/.test(r.url()) || page.foreign.push(r.url()));
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Findings of axe that keep people out. (Its script goes in by the debugger: a page's own policy would refuse it.) `rules`: only those. */
export async function findings(page, rules = null) {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const found = await page.evaluate(`${axe}; axe.run(document, ${JSON.stringify(options)})`);
  const serious = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  return serious.map((v) => `axe-core finds ${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3)}`);
}

export const PAGES = ["overview", "counters", "waits", "log", "writes", "checkpoints", "events", "databases", "topqueries", "indexes", "query", "backups", "errorlog", "lab"];

export async function show(page, server, name) {
  if (page.url().startsWith(server.url)) await page.evaluate((hash) => void (location.hash = hash), name);
  else await page.goto(`${server.url}/#${name}`);
  await page.locator(`nav a[href="#${name}"][aria-current=page]`).waitFor();
}
