'use strict';

exports.seed = async (knex) => {
  const [drinks] = await knex('categories').insert({ name: 'drinks' }, ['id']);
  const [tools] = await knex('categories').insert({ name: 'tools' }, ['id']);
  await knex('products').insert([
    { title: 'Tee', price: 4.5, stock: 10, category_id: drinks.id, details: JSON.stringify({ leaves: ['green'] }) },
    { title: 'Müsli', price: 3, stock: 0, category_id: drinks.id, details: null },
    { title: 'Mug', price: 7.25, stock: 3, category_id: tools.id, details: JSON.stringify({ ml: 300 }) },
  ]);
};
