'use strict';
// A column with another name and type, one more, and a view.

exports.up = async (knex) => {
  await knex.schema.alterTable('products', (t) => {
    t.renameColumn('name', 'title');
  });
  await knex.schema.alterTable('products', (t) => {
    t.string('title', 120).notNullable().alter();
    t.boolean('shown').notNullable().defaultTo(true);
    t.unique(['category_id', 'title'], { indexName: 'uq_products_title' });
  });
  await knex.schema.createView('cheap', (v) => {
    v.columns(['title', 'price']);
    v.as(knex('products').select('title', 'price').where('price', '<', 5));
  });
};

exports.down = async (knex) => {
  await knex.schema.dropView('cheap');
  await knex.schema.alterTable('products', (t) => {
    t.dropUnique(['category_id', 'title'], 'uq_products_title');
    t.dropColumn('shown');
  });
  await knex.schema.alterTable('products', (t) => {
    t.renameColumn('title', 'name');
  });
};
