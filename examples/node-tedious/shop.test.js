'use strict';
// Tests of a small shop with tedious: one server for all of them, a new database for each.

const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, test } = require('node:test');
const { Taffrail } = require('taffrail');
const { Connection, Request, TYPES } = require('tedious');

let server;
let database;
let connection;

before(async () => { server = await Taffrail.start(); });
after(() => server.stop());

beforeEach(async () => {
  database = await server.createDatabase();
  connection = new Connection(database.config());
  await new Promise((resolve, reject) => connection.connect((e) => (e ? reject(e) : resolve())));
  await run('CREATE TABLE items (id int IDENTITY PRIMARY KEY, name nvarchar(50) NOT NULL UNIQUE, price decimal(9, 2))');
});

afterEach(async () => {
  const ended = new Promise((resolve) => connection.once('end', resolve));
  connection.close();
  await ended;
  await database.drop();
});

/** Runs a statement with its parameters, each as [type, value, options]; the rows as objects. */
function run(sql, parameters = {}) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)));
    for (const [name, parameter] of Object.entries(parameters)) {
      const [type, value, options] = parameter;
      request.addParameter(name, type, value, options);
    }
    request.on('row', (row) => rows.push(Object.fromEntries(row.map((c) => [c.metadata.colName, c.value]))));
    connection.execSql(request);
  });
}

const insert = (name, price) =>
  run('INSERT items (name, price) OUTPUT inserted.id VALUES (@name, @price)', {
    name: [TYPES.NVarChar, name],
    price: [TYPES.Decimal, price, { precision: 9, scale: 2 }],
  });

test('rows come back', async () => {
  assert.deepEqual(await insert('Müsli', 4.5), [{ id: 1 }]);
  await insert('tea', null);
  assert.deepEqual(await run('SELECT id, name, price FROM items ORDER BY id'), [
    { id: 1, name: 'Müsli', price: 4.5 },
    { id: 2, name: 'tea', price: null },
  ]);
});

test('an error has its number', async () => {
  await insert('twice', 1);
  await assert.rejects(insert('twice', 2), { number: 2627 });
});

test('a transaction is rolled back', async () => {
  const call = (name) =>
    new Promise((resolve, reject) => connection[name]((e) => (e ? reject(e) : resolve())));
  await call('beginTransaction');
  await insert('gone', 1);
  await call('rollbackTransaction');
  assert.deepEqual(await run('SELECT COUNT(*) AS n FROM items'), [{ n: 0 }]);
});

test('rows in bulk', async () => {
  const load = new Promise((resolve, reject) => {
    const bulk = connection.newBulkLoad('items', (e, n) => (e ? reject(e) : resolve(n)));
    bulk.addColumn('name', TYPES.NVarChar, { length: 50, nullable: false });
    bulk.addColumn('price', TYPES.Decimal, { precision: 9, scale: 2, nullable: true });
    connection.execBulkLoad(bulk, Array.from({ length: 1000 }, (_, n) => ({ name: `item ${n}`, price: n })));
  });
  assert.equal(await load, 1000);
  assert.deepEqual(await run('SELECT COUNT(*) AS n, SUM(price) AS total FROM items'), [{ n: 1000, total: 499500 }]);
});

test('a procedure with an output parameter', async () => {
  await run('CREATE PROCEDURE cheapest @below int, @count int OUTPUT AS SELECT @count = COUNT(*) FROM items WHERE price < @below');
  await insert('a', 1);
  await insert('b', 9);
  const count = await new Promise((resolve, reject) => {
    let value;
    const request = new Request('cheapest', (e) => (e ? reject(e) : resolve(value)));
    request.addParameter('below', TYPES.Int, 5);
    request.addOutputParameter('count', TYPES.Int);
    request.on('returnValue', (_, returned) => { value = returned; });
    connection.callProcedure(request);
  });
  assert.equal(count, 1);
});
