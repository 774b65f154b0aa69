'use strict';
// Tests of a small shop with TypeORM: one server for all of them, a new database for each.

const assert = require('node:assert/strict');
const { after, afterEach, before, beforeEach, test } = require('node:test');
const { Taffrail } = require('taffrail');
const { DataSource } = require('typeorm');
const { Category, Product, Order, all } = require('./entities');

let server;
let database;
let shop;

before(async () => { server = await Taffrail.start(); });
after(() => server.stop());

beforeEach(async () => {
  database = await server.createDatabase();
  shop = await new DataSource({
    type: 'mssql',
    host: server.host,
    port: server.port,
    username: server.user,
    password: server.password,
    database: database.name,
    entities: all,
    options: { trustServerCertificate: true },
  }).initialize();
  await shop.synchronize();
});

afterEach(async () => {
  await shop.destroy();
  await database.drop();
});

const filled = async () => {
  const categories = shop.getTreeRepository(Category);
  const drinks = await categories.save({ name: 'Drinks' });
  const tea = await categories.save({ name: 'Tea', parent: drinks });
  await shop.getRepository(Product).save([
    { code: 'mug', price: '9.50', stock: 3, category: drinks, tags: [{ name: 'gift' }] },
    { code: 'green', price: '4.50', stock: 10, category: tea, details: { leaves: ['green'] }, tags: [] },
    { code: 'black', price: '3.25', stock: 0, category: tea, tags: [] },
  ]);
  return { drinks, tea };
};

test('a schema that is there needs no change', async () => {
  assert.deepEqual((await shop.driver.createSchemaBuilder().log()).upQueries, []);
});

test('rows, relations and a tree', async () => {
  const { drinks } = await filled();
  const products = shop.getRepository(Product);
  const mug = await products.findOne({ where: { code: 'mug' }, relations: { category: true, tags: true } });
  assert.deepEqual([mug.category.name, mug.tags, mug.price, Number(mug.value)], ['Drinks', [{ name: 'gift' }], 9.5, 28.5]);
  const page = await products.find({ order: { price: 'DESC' }, skip: 1, take: 1, relations: { category: true } });
  assert.deepEqual(page.map((p) => [p.code, p.details]), [['green', { leaves: ['green'] }]]);
  const below = await shop.getTreeRepository(Category).findDescendants(drinks);
  assert.deepEqual(below.map((c) => c.name).sort(), ['Drinks', 'Tea']);
  await products.softDelete({ code: 'mug' });
  assert.equal(await products.count(), 2);
  await shop.getRepository(Category).delete({ name: 'Tea' }).then(assert.fail, () => {});
});

test('an upsert changes what is there and adds what is not', async () => {
  await filled();
  const products = shop.getRepository(Product);
  const values = [{ code: 'mug', stock: 7 }, { code: 'jar', stock: 1 }];
  await products.upsert(values, { conflictPaths: ['code'] });
  const rows = await products.find({ order: { code: 'ASC' } });
  assert.deepEqual(rows.map((p) => [p.code, p.stock]), [['black', 0], ['green', 10], ['jar', 1], ['mug', 7]]);
});

test('groups of a query', async () => {
  await filled();
  const rows = await shop.getRepository(Product).createQueryBuilder('p').innerJoin('p.category', 'c')
    .select('c.name', 'category').addSelect('SUM(p.value)', 'worth').groupBy('c.name').having('COUNT(*) > :n', { n: 1 })
    .getRawMany();
  assert.deepEqual(rows, [{ category: 'Tea', worth: 45 }]);
});

test('a version, a lock and a way back', async () => {
  const orders = shop.getRepository(Order);
  const { id } = await orders.save({ customer: 'Ann' });
  await assert.rejects(shop.transaction(async (m) => {
    await m.findOne(Order, { where: { id }, lock: { mode: 'pessimistic_write' } });
    await m.save(Order, { id, customer: 'Bob' });
    throw new Error('no');
  }), /no/);
  await orders.save({ id, customer: 'Cid' });
  const order = await orders.findOneByOrFail({ id });
  assert.deepEqual([order.customer, order.changes], ['Cid', 2]);
});
