'use strict';
// A small shop: products in a tree of categories, goods and services in one table, orders with a version.

const { EntitySchema } = require('typeorm');

const Category = new EntitySchema({
  name: 'Category',
  tableName: 'categories',
  trees: [{ type: 'closure-table' }],
  columns: {
    id: { type: 'int', primary: true, generated: 'increment' },
    name: { type: 'nvarchar', length: 40, unique: true },
  },
  relations: {
    parent: { type: 'many-to-one', target: 'Category', treeParent: true, nullable: true },
    children: { type: 'one-to-many', target: 'Category', inverseSide: 'parent', treeChildren: true },
  },
});

const Product = new EntitySchema({
  name: 'Product',
  tableName: 'products',
  columns: {
    id: { type: 'uniqueidentifier', primary: true, generated: 'uuid' },
    code: { type: 'varchar', length: 20, unique: true },
    price: { type: 'decimal', precision: 10, scale: 2, default: 0 },
    stock: { type: 'int', default: 0 },
    details: { type: 'simple-json', nullable: true },
    made: { type: 'datetime2', createDate: true },
    gone: { type: 'datetime2', deleteDate: true },
    value: { type: 'decimal', precision: 21, scale: 2, generatedType: 'STORED', asExpression: 'price * stock', insert: false, update: false },
  },
  indices: [{ name: 'cheap', columns: ['price'], where: 'stock > 0' }],
  checks: [{ name: 'in_stock', expression: 'stock >= 0' }],
  relations: {
    category: { type: 'many-to-one', target: 'Category', onDelete: 'CASCADE', joinColumn: { name: 'category_id' } },
    tags: { type: 'many-to-many', target: 'Tag', joinTable: { name: 'product_tags' }, cascade: true },
  },
});

const Tag = new EntitySchema({
  name: 'Tag',
  tableName: 'tags',
  columns: { name: { type: 'nvarchar', length: 20, primary: true } },
});

const Order = new EntitySchema({
  name: 'Order',
  tableName: 'orders',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    customer: { type: 'nvarchar', length: 60 },
    changes: { type: 'int', version: true },
  },
});

module.exports = { Category, Product, Tag, Order, all: [Category, Product, Tag, Order] };
