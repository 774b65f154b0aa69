'use strict';
// Tests of a small shop against SQL Server in a container: scripts make its schema, tedious talks to it.

const assert = require('node:assert/strict');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { after, afterEach, before, beforeEach, test } = require('node:test');
const { MSSQLServerContainer } = require('@testcontainers/mssqlserver');
const { Connection, ISOLATION_LEVEL, Request, TYPES } = require('tedious');

const IMAGE = process.env.MSSQL_IMAGE ?? 'mcr.microsoft.com/mssql/server:2022-latest';
let container;
let connection;

before(async () => {
  const began = Date.now();
  container = await new MSSQLServerContainer(IMAGE).acceptLicense().start();
  console.log(`ready after ${((Date.now() - began) / 1000).toFixed(1)} s`);
});
after(() => container?.stop());

beforeEach(async () => {
  const master = await connect('master');
  await run(master, 'CREATE DATABASE shop');
  await close(master);
  connection = await connect('shop');
  await migrate(connection);
});

afterEach(async () => {
  await close(connection);
  const master = await connect('master');
  await run(master, 'ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE shop');
  await close(master);
});

async function connect(database) {
  const made = new Connection({
    server: container.getHost(),
    authentication: { type: 'default', options: { userName: container.getUsername(), password: container.getPassword() } },
    options: { port: container.getPort(), database, encrypt: false },
  });
  await new Promise((resolve, reject) => made.connect((e) => (e ? reject(e) : resolve())));
  return made;
}

async function close(it) {
  const ended = new Promise((resolve) => it.once('end', resolve));
  it.close();
  await ended;
}

/** Runs a statement with its parameters, each as [type, value, options]; the rows as objects. */
function run(it, sql, parameters = {}, batch = false) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)));
    for (const [name, [type, value, options]] of Object.entries(parameters)) {
      request.addParameter(name, type, value, options);
    }
    request.on('row', (row) => rows.push(Object.fromEntries(row.map((c) => [c.metadata.colName, c.value]))));
    if (batch) it.execSqlBatch(request);
    else it.execSql(request);
  });
}

/** Runs the scripts that have not been run yet. */
async function migrate(it) {
  await run(it, `IF OBJECT_ID('migrations') IS NULL CREATE TABLE migrations (name nvarchar(200) PRIMARY KEY)`);
  const done = (await run(it, 'SELECT name FROM migrations')).map((row) => row.name);
  const scripts = readdirSync(join(__dirname, 'migrations')).filter((name) => !done.includes(name)).sort();
  for (const name of scripts) {
    for (const batch of readFileSync(join(__dirname, 'migrations', name), 'utf8').split(/^GO$/m)) {
      await run(it, batch, {}, true);
    }
    await run(it, 'INSERT migrations VALUES (@name)', { name: [TYPES.NVarChar, name] });
  }
  return scripts.length;
}

async function customer(name) {
  const [{ id }] = await run(connection, 'INSERT customers (name) OUTPUT inserted.id VALUES (@name)', { name: [TYPES.NVarChar, name] });
  return id;
}

const order = (id, amount) =>
  run(connection, 'INSERT orders (customer_id, amount) VALUES (@id, @amount)', {
    id: [TYPES.Int, id],
    amount: [TYPES.Decimal, amount, { precision: 10, scale: 2 }],
  });

const call = (name, ...words) =>
  new Promise((resolve, reject) => connection[name]((e) => (e ? reject(e) : resolve()), ...words));

test('migrations run once', async () => {
  assert.equal(await migrate(connection), 0);
  assert.deepEqual(await run(connection, 'SELECT COUNT(*) AS n FROM migrations'), [{ n: 2 }]);
});

test('rows come back', async () => {
  const id = await customer('Müller');
  await order(id, 12.5);
  await order(id, 7.25);
  assert.deepEqual(await run(connection, 'SELECT name, total FROM totals'), [{ name: 'Müller', total: 19.75 }]);
  const [{ placed }] = await run(connection, 'SELECT TOP (1) placed FROM orders ORDER BY id');
  assert.ok(Math.abs(placed - Date.now()) < 60_000);
});

test('rows in bulk', async () => {
  const id = await customer('many');
  const load = new Promise((resolve, reject) => {
    const bulk = connection.newBulkLoad('orders', (e, n) => (e ? reject(e) : resolve(n)));
    bulk.addColumn('customer_id', TYPES.Int, { nullable: false });
    bulk.addColumn('amount', TYPES.Decimal, { precision: 10, scale: 2, nullable: false });
    connection.execBulkLoad(bulk, Array.from({ length: 1000 }, (_, n) => ({ customer_id: id, amount: n })));
  });
  assert.equal(await load, 1000);
  assert.deepEqual(await run(connection, 'SELECT total FROM totals'), [{ total: 499500 }]);
});

test('a transaction is rolled back', async () => {
  await call('beginTransaction', 'work', ISOLATION_LEVEL.SERIALIZABLE);
  await customer('stays');
  await call('commitTransaction');
  await call('beginTransaction');
  await customer('gone');
  await call('rollbackTransaction');
  assert.deepEqual(await run(connection, 'SELECT name FROM customers'), [{ name: 'stays' }]);
});

test('errors have numbers', async () => {
  await customer('twice');
  await assert.rejects(customer('twice'), { number: 2627, message: /uq_customers/ });
  await assert.rejects(order(99, 1), { number: 547, message: /fk_orders_customers/ });
  await assert.rejects(run(connection, 'SELECT nothing FROM customers'), { number: 207 });
});
