'use strict';
// Products and the categories that they are in.

exports.up = (knex) =>
  knex.schema
    .createTable('categories', (t) => {
      t.increments('id');
      t.string('name', 60).notNullable().unique({ indexName: 'uq_categories_name' });
      t.integer('parent_id').nullable().references('id').inTable('categories');
    })
    .createTable('products', (t) => {
      t.uuid('id').primary().defaultTo(knex.fn.uuid());
      t.string('name').notNullable();
      t.decimal('price', 9, 2).notNullable();
      t.integer('stock').notNullable().defaultTo(0);
      t.json('details');
      t.integer('category_id').notNullable().references('categories.id').onDelete('CASCADE');
      t.timestamps(true, true);
      t.timestamp('deleted_at').nullable().defaultTo(null);
      t.check('?? >= 0', ['price'], 'ck_products_price');
      t.index(['category_id', 'price'], 'ix_products_price');
    });

exports.down = (knex) => knex.schema.dropTable('products').dropTable('categories');
