// Functions of the pages that need no browser: node tests/units.mjs
import assert from "node:assert/strict";
import { build } from "esbuild";

const load = async (name) => {
  const { outputFiles } = await build({ entryPoints: [`src/${name}.ts`], bundle: true, format: "esm", target: "es2022", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
};

const { members } = await load("row");
assert.deepEqual(members('{"id": 9007199254740993, "price":40.0000, "2":"b", "1":null, "f":1e+300, "n":-0.10}'), [
  ["id", "9007199254740993"],
  ["price", "40.0000"],
  ["2", "b"],
  ["1", null],
  ["f", "1e+300"],
  ["n", "-0.10"],
]);
assert.deepEqual(members('{"a\\"b":"x\\ny, {}","t":true,"o":{"k":[1.50,"]"]}}'), [
  ['a"b', "x\ny, {}"],
  ["t", "true"],
  ["o", '{"k":[1.50,"]"]}'],
]);
assert.deepEqual(members('{"same":1,"same":2}'), [["same", "1"], ["same", "2"]]);
assert.deepEqual(members("{}"), []);
for (const none of ["", "[1]", '{"a"', '{"a":', '{"a":1', '{"a":1 2}', '{"a":x}', "text"]) assert.equal(members(none), null, none);

const { QuerySession } = await load("batch");
const bytes = (text) => new TextEncoder().encode(text);
/** What a page hears when an answer comes in pieces of so many bytes. */
const heard = async (text, size) => {
  const all = bytes(text);
  globalThis.addEventListener ??= () => {};
  globalThis.fetch = async () =>
    new Response(
      new ReadableStream({
        start(to) {
          for (let at = 0; at < all.length; at += size) to.enqueue(all.slice(at, at + size));
          to.close();
        },
      }),
    );
  const session = new QuerySession();
  const results = [];
  const end = await session.run("SELECT 1", null, { columns: (rows) => results.push(rows) });
  clearInterval(session.timer);
  return { end, results };
};
const answer = '{"columns":[["a","int",true],["b","nvarchar(max)",false]]}\n["1","é x"]\n{"cut":[1,70000000]}\n["2","yy"]\n["3",null]\n{"rows":3}\n{"end":"done"}\n';
for (const size of [1, 2, 7, 50, 10_000]) {
  const { end, results } = await heard(answer, size);
  assert.equal(end, "done");
  assert.deepEqual(results[0].all(), [["1", "é x"], ["2", "yy"], ["3", null]], `pieces of ${size}`);
  assert.deepEqual(results[0].cuts, [{ row: 1, column: 1, characters: 70000000 }]);
}
// A long cell in small pieces: each byte is copied a few times, not once for each piece behind it.
const long = "x".repeat(32 * 1024 * 1024);
const began = performance.now();
const { results } = await heard(`{"columns":[["a","text",false]]}\n["${long}"]\n{"end":"done"}\n`, 16 * 1024);
assert.equal(results[0].row(0)[0].length, long.length);
assert.ok(performance.now() - began < 10_000, "a cell of 32 MB is read in seconds");

const { refusal } = await load("server");
globalThis.fetch = async () => new Response('{"error":"There are 32 viewers already."}', { status: 503 });
assert.equal(await refusal("/api/stream"), "There are 32 viewers already.");
globalThis.fetch = async () => new Response("data: {}\n\n");
assert.equal(await refusal("/api/stream"), null);
const { extremes, lsnOf, typeOf } = await load("units");
assert.deepEqual(extremes([3, 1, 2], (n) => n, 4), [3, 1, 2]);
const many = Array.from({ length: 10_000 }, (_, i) => (i === 5003 ? 9e9 : i === 5004 ? -1 : i % 100));
const few = extremes(many, (n) => n, 500);
assert.ok(few.length <= 501 && few.includes(9e9) && few.includes(-1) && few.at(-1) === many.at(-1), String(few.length));
assert.equal(lsnOf("34000000012000004"), "00000022:00000078:0004");

const { joined, thinned, pointsOf } = await load("server");
const at = (...times) => times.map((t) => ({ at: t }));
const times = (points) => points.map((p) => p.at);
assert.deepEqual(times(joined(at(1, 6, 11, 16, 21), at(18, 19, 20))), [1, 6, 11, 16, 18, 19, 20], "the past lies before what the page has seen itself");
assert.deepEqual(times(joined(at(1, 6, 50, 55), at(2, 3, 60))), [2, 3, 50, 55, 60], "a gap of the page is filled");
assert.deepEqual(times(joined(at(1, 6), [])), [1, 6]);
assert.deepEqual(times(thinned(at(...Array.from({ length: 12 }, (_, i) => i)), 190)), [0, 5, 10, 11], "every few seconds of the past, every second of the present");
assert.deepEqual(times(thinned(at(1, 4000), 4001)), [4000], "an hour");
const [kept] = pointsOf({ ago: [10], cpuMs: [500], batches: [3], waits: { "Lock waits": [7] } }, 100, 2);
assert.deepEqual([kept.at, kept.cpu, kept.batches, kept.waits.get("Lock waits")], [90, 25, 3, 7]);

const { valueAt, scaleOf } = await load("counters");
const counter = { object: "o", name: "Log Flush Wait Time", instance: "i", type: 65792 };
const sample = (ticks, value) => ({ at: 0, ticks, values: new Map([["o|Log Flush Wait Time|i", value]]) });
assert.equal(valueAt(counter, sample(1000, 50), sample(3000, 250)), 100, "a total of ms is told by the second");
assert.equal(scaleOf(499), 0.1);

const { details, tableOf } = await load("plan");
const argument = "OBJECT:([shop].[dbo].[b].[PK]), WHERE:([shop].[dbo].[b].[x]=(5)) ORDERED FORWARD";
assert.deepEqual(details(argument), [["OBJECT", "[shop].[dbo].[b].[PK]"], ["WHERE", "[shop].[dbo].[b].[x]=(5)"]]);
assert.deepEqual(details("HASH:([b].[aid])=([a].[id]) DEFINE:([n]=COUNT(*))"), [["HASH", "[b].[aid] = [a].[id]"], ["DEFINE", "[n]=COUNT(*)"]]);
assert.equal(tableOf(argument), "[shop].[dbo].[b]");
assert.equal(tableOf("ORDER BY:([Expr1004] ASC)"), null);

const { rates } = await load("files");
const io = (ticks, ...figures) => ({ ticks, files: new Map([["f", { figures }]]) });
assert.deepEqual(rates(io(0, 0, 0, 0, 10, 4096, 20), io(2000, 0, 0, 0, 30, 12288, 60), "f"), [0, 0, 0, 10, 4096, 20]);
assert.equal(rates(undefined, io(0, 1), "f"), null);

assert.deepEqual([typeOf("nvarchar", 400, 0, 0), typeOf("varchar", -1, 0, 0), typeOf("decimal", 9, 9, 2), typeOf("int", 4, 10, 0)], ["nvarchar(200)", "varchar(max)", "decimal(9,2)", "int"]);
const { asked, creates, isIdle, oneLine } = await load("workload");
assert.equal(creates("[shop].[dbo].[orders]", "[customer]", "[amount]", "[note]"), "CREATE INDEX [IX_orders_customer_amount]\nON [shop].[dbo].[orders] ([customer], [amount])\nINCLUDE ([note])");
assert.equal(creates("[a]]b].[s].[t]]]", null, "[x, y], [z]", null), "CREATE INDEX [IX_t]]_x, y_z]\nON [a]]b].[s].[t]]] ([x, y], [z])");
assert.equal(/\[(.*)\]\n/.exec(creates("[d].[s].[t]", `[${"c".repeat(120)}], [${"d".repeat(120)}]`, null, null))[1].length, 128);
assert.ok(isIdle({ kind: "NONCLUSTERED", seeks: 0, scans: 0, lookups: 0 }) && !isIdle({ kind: "CLUSTERED", seeks: 0, scans: 0, lookups: 0 }) && !isIdle({ kind: "NONCLUSTERED", seeks: 0, scans: 1, lookups: 0 }));
const list = "SELECT 1\nWHERE x NOT LIKE 'WHERE'\nORDER BY q.total_worker_time DESC";
assert.equal(asked(list, 0, false), list);
assert.equal(asked(list, 3, true), "SELECT 1\nORDER BY q.total_elapsed_time / NULLIF(q.execution_count, 0) DESC");
assert.equal(oneLine("SELECT  1\n\tFROM t "), "SELECT 1 FROM t");
assert.equal(oneLine("x".repeat(500)).length, 200);
console.log("units: passed");
process.exit(0);
