'use strict';
// Tests of a small shop with Knex: one server for all of them, a new database for each.

const assert = require('node:assert/strict');
const path = require('node:path');
const { after, afterEach, before, beforeEach, test } = require('node:test');
const { Taffrail } = require('taffrail');

let server;
let database;
let knex;

before(async () => { server = await Taffrail.start(); });
after(() => server.stop());

beforeEach(async () => {
  database = await server.createDatabase();
  knex = require('knex')({
    client: 'mssql',
    connection: {
      server: server.host,
      port: server.port,
      user: server.user,
      password: server.password,
      database: database.name,
      options: { trustServerCertificate: true },
    },
    pool: { min: 0, max: 3 },
    migrations: { directory: path.join(__dirname, 'migrations') },
    seeds: { directory: path.join(__dirname, 'seeds') },
  });
  await knex.migrate.latest();
  await knex.seed.run();
});

afterEach(async () => {
  await knex.destroy();
  await database.drop();
});

const titles = async (query) => (await query.orderBy('title')).map((row) => row.title);

test('down and up again', async () => {
  await knex.migrate.down();
  assert.ok(await knex.schema.hasColumn('products', 'name'));
  await knex.migrate.rollback(undefined, true);
  assert.equal(await knex.schema.hasTable('products'), false);
  assert.deepEqual((await knex.migrate.latest())[1], ['0001_catalogue.js', '0002_names.js']);
  assert.deepEqual(Object.keys(await knex('products').columnInfo()).sort(), [
    'category_id', 'created_at', 'deleted_at', 'details', 'id', 'price', 'shown', 'stock', 'title', 'updated_at',
  ]);
});

test('rows come back', async () => {
  assert.deepEqual(await titles(knex('products').where('stock', '>', 0)), ['Mug', 'Tee']);
  assert.deepEqual(await titles(knex('cheap')), ['Müsli', 'Tee']);
  const tea = await knex('products').where({ title: 'Tee' }).first();
  assert.deepEqual(JSON.parse(tea.details), { leaves: ['green'] });
  assert.equal(tea.price, 4.5);
  assert.equal(tea.deleted_at, null);
  assert.ok(tea.created_at instanceof Date);
});

test('joins, groups and pages', async () => {
  const worth = await knex('categories')
    .join('products', 'categories.id', 'products.category_id')
    .groupBy('categories.name')
    .orderBy('worth', 'desc')
    .select('categories.name', knex.raw('SUM(price * stock) AS worth'));
  assert.deepEqual(worth, [{ name: 'drinks', worth: 45 }, { name: 'tools', worth: 21.75 }]);
  const page = await knex('products').orderBy('price').limit(1).offset(1);
  assert.deepEqual(page.map((p) => p.title), ['Tee']);
  const ranked = await knex
    .with('ranked', knex('products').select('title').rank('place', (q) => q.orderBy('price', 'desc')))
    .from('ranked').where('place', 1).select('title');
  assert.deepEqual(ranked, [{ title: 'Mug' }]);
});

test('changes tell what they changed', async () => {
  const [sold] = await knex('products').where({ title: 'Tee' }).decrement('stock', 2).returning(['title', 'stock']);
  assert.deepEqual(sold, { title: 'Tee', stock: 8 });
  assert.equal(await knex('products').where('stock', 0).del(), 1);
  await knex.batchInsert('categories', Array.from({ length: 500 }, (_, n) => ({ name: `c${n}` })), 100);
  assert.equal((await knex('categories').count({ n: '*' }))[0].n, 502);
});

test('transactions', async () => {
  await assert.rejects(
    knex.transaction(async (trx) => {
      await trx('categories').insert({ name: 'gone' });
      await trx('categories').insert({ name: 'tools' });
    }),
    { number: 2601 },
  );
  assert.equal(await knex('categories').where({ name: 'gone' }).first(), undefined);
  await knex.transaction(async (trx) => {
    const tea = await trx('products').forUpdate().where({ title: 'Tee' }).first();
    await trx.transaction(async (inner) => {
      await inner('products').where({ id: tea.id }).update({ stock: tea.stock - 1 });
    });
  });
  assert.equal((await knex('products').where({ title: 'Tee' }).first()).stock, 9);
});

test('constraints are errors', async () => {
  const tools = await knex('categories').where({ name: 'tools' }).first();
  await assert.rejects(knex('products').insert({ title: 'gift', price: -1, category_id: tools.id }), { number: 547 });
  await assert.rejects(knex('products').insert({ title: 'Mug', price: 1, category_id: tools.id }), { number: 2601 });
  await knex('categories').where({ id: tools.id }).del();
  assert.equal(await knex('products').where({ title: 'Mug' }).first(), undefined);
});
