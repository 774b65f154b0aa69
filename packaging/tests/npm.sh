#!/usr/bin/env bash
# npm.sh PACKAGE: installed into an empty folder and used by a program and a test of Node.js; npm gets tedious.
set -euo pipefail
package=$(realpath "$1")
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-npm.XXXXXX")
trap 'rm -rf "$here"' EXIT
cd "$here"
unset TAFFRAIL_BINARY NODE_PATH
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund --offline "$package"
npx --offline taffrail --version | grep -q '^taffrail [0-9]' && echo 'ok the command'
npm install --silent --no-audit --no-fund tedious@19.2.2
cat > use.test.mjs <<'PROGRAM'
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { Taffrail } from 'taffrail';
import tedious from 'tedious';

let server;
before(async () => { server = await Taffrail.start(); });
after(() => server.stop());

test('a batch without a driver', async () => {
  assert.deepEqual(await server.query("SELECT 1, 'a'"), [['1', 'a']]);
  await assert.rejects(server.query('SELECT 1 / 0'), /Msg 8134/);
  // Each value whole and in its place, whatever is in it; nothing but rows.
  const odd = ['', null, 'NULL', 'a\n\nb\tc', '$(HOME)', 'x'.repeat(5000), '0x0A0B', '\u{1f600}'];
  assert.deepEqual(await server.query(
    "PRINT 'no row'; SELECT '', NULL, 'NULL', N'a' + NCHAR(10) + NCHAR(10) + N'b' + NCHAR(9) + N'c', '$(HOME)'," +
    " REPLICATE('x', 5000), CAST(0x0A0B AS varbinary(2)), N'\u{1f600}'",
  ), [odd]);
  assert.deepEqual(await server.results('SELECT 1 WHERE 1 = 0; SELECT 2; PRINT 3'), [[], [['2']]]);
  assert.deepEqual(await server.query("PRINT 'no row'"), []);
  assert.match(server.connectionString, /^Server=127\.0\.0\.1,\d+;Database=master;User Id=sa;/);
});

test('tedious on a database of its own', async () => {
  const database = await server.createDatabase();
  const connection = new tedious.Connection(database.config());
  connection.on('error', () => {}); // it is cut off below
  await new Promise((resolve, reject) => connection.connect((e) => (e ? reject(e) : resolve())));
  const rows = [];
  await new Promise((resolve, reject) => {
    const request = new tedious.Request('SELECT DB_NAME()', (e) => (e ? reject(e) : resolve()));
    request.on('row', ([column]) => rows.push(column.value));
    connection.execSql(request);
  });
  assert.deepEqual(rows, [database.name]);
  // Whoever is still connected.
  await database.drop();
  connection.close();
  assert.deepEqual(await server.query(`SELECT COUNT(*) FROM sys.databases WHERE name = '${database.name}'`), [['0']]);
});

test('one that does not start says why', async () => {
  await assert.rejects(Taffrail.start({ args: ['--tls', 'perhaps'] }), /perhaps/);
});

test('a directory that is given stays, one that is not goes', async () => {
  const first = await Taffrail.start({ data: 'kept', password: 'Npm-test-1!' });
  await first.createDatabase('stays');
  await first.stop();
  const second = await Taffrail.start({ data: 'kept', password: 'Npm-test-1!' });
  assert.deepEqual(await second.query("SELECT name FROM sys.databases WHERE name = 'stays'"), [['stays']]);
  await second.stop();
  await second.stop();
  const left = "require('taffrail').Taffrail.start().then((s) => console.log(s.pid, s.data))";
  const [pid, data] = execFileSync('node', ['-e', left], { encoding: 'utf8' }).trim().split(' ');
  assert.ok(!fs.existsSync(data), data);
  const lives = () => fs.existsSync(`/proc/${pid}/exe`);
  for (let i = 0; i < 100 && lives(); i += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(!lives());
});
PROGRAM
node --test use.test.mjs
echo 'ok node'
