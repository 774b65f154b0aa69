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
console.log("units: passed");
process.exit(0);
