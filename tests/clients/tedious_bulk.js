// tedious's bulk load against a running server: HOST PORT PASSWORD WORKLOADS.
const { Connection, Request, TYPES } = require('tedious');

const [host, port, password] = process.argv.slice(2);

function check(name, got, expected) {
  const [g, e] = [JSON.stringify(got), JSON.stringify(expected)];
  if (g !== e) {
    console.error(`FAILED ${name}: got ${g}, expected ${e}`);
    process.exit(1);
  }
  console.log('ok', name);
}

function connect() {
  return new Promise((resolve, reject) => {
    const connection = new Connection({
      server: host,
      authentication: { type: 'default', options: { userName: 'sa', password } },
      options: { port: Number(port), trustServerCertificate: true, requestTimeout: 60000, encrypt: true },
    });
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

function query(connection, sql) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)));
    request.on('row', (columns) => rows.push(columns.map((c) => c.value)));
    connection.execSqlBatch(request);
  });
}

function load(connection, table, options, columns, rows) {
  return new Promise((resolve, reject) => {
    const bulk = connection.newBulkLoad(table, options, (error, count) => (error ? reject(error) : resolve(count)));
    for (const [name, type, more] of columns) bulk.addColumn(name, type, { nullable: true, ...more });
    connection.execBulkLoad(bulk, rows);
  });
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error.number ?? error.code;
  }
  return 'no error';
}

async function main() {
  const c = await connect();
  await query(c, 'CREATE DATABASE TediousBulk');
  await query(c, 'USE TediousBulk');
  await query(c, `CREATE TABLE t (i int NOT NULL, b bit, ti tinyint, si smallint, bi bigint, de decimal(20,4), nu numeric(9,2), f float,
    r real, m money, sm smallmoney, vc varchar(20), nv nvarchar(20), ch char(5), nc nchar(5), vb varbinary(8), bn binary(4),
    dt datetime, sd smalldatetime, d2 datetime2(7), d date, tm time(3), dto datetimeoffset(7), g uniqueidentifier, vmax varchar(max),
    nmax nvarchar(max), vbmax varbinary(max))`);
  const day = (i) => new Date(Date.UTC(2026, 10, 21, 12, 34, 0) + i * 86400000);
  const columns = [
    ['i', TYPES.Int, { nullable: false }], ['b', TYPES.Bit], ['ti', TYPES.TinyInt], ['si', TYPES.SmallInt], ['bi', TYPES.BigInt],
    ['de', TYPES.Decimal, { precision: 20, scale: 4 }], ['nu', TYPES.Numeric, { precision: 9, scale: 2 }], ['f', TYPES.Float],
    ['r', TYPES.Real], ['m', TYPES.Money], ['sm', TYPES.SmallMoney], ['vc', TYPES.VarChar, { length: 20 }],
    ['nv', TYPES.NVarChar, { length: 20 }], ['ch', TYPES.Char, { length: 5 }], ['nc', TYPES.NChar, { length: 5 }],
    ['vb', TYPES.VarBinary, { length: 8 }], ['bn', TYPES.Binary, { length: 4 }], ['dt', TYPES.DateTime], ['sd', TYPES.SmallDateTime],
    ['d2', TYPES.DateTime2, { scale: 7 }], ['d', TYPES.Date], ['tm', TYPES.Time, { scale: 3 }], ['dto', TYPES.DateTimeOffset, { scale: 7 }],
    ['g', TYPES.UniqueIdentifier], ['vmax', TYPES.VarChar, { length: Infinity }], ['nmax', TYPES.NVarChar, { length: Infinity }],
    ['vbmax', TYPES.VarBinary, { length: Infinity }],
  ];
  const N = 4000;
  const row = (i) => (i % 7 === 3 ? [i, ...Array(columns.length - 1).fill(null)] : [
    i, i % 2 === 0, i % 256, (i % 32768) - 16000, String(i * 1000003), i / 16, i / 4, i / 3, i / 8, i / 4, i / 4, `text ${i}`, `你好 ${i}`,
    'abcde', 'äöüßé', Buffer.from([i % 256, 255]), Buffer.from([1, 2, 3, i % 256]), day(i), day(i % 9000), day(i), day(i), day(0), day(i),
    '01234567-89AB-CDEF-0123-456789ABCDEF', 'x'.repeat(i % 6000), 'ü😀'.repeat(i % 2000), Buffer.alloc(i % 9000, i % 256),
  ]);
  const rows = Array.from({ length: N }, (_, i) => row(i));
  check('rows loaded', await load(c, 't', { lockTable: true, keepNulls: true }, columns, rows), N);
  const got = await query(c, 'SELECT * FROM t ORDER BY i');
  check('rows there', got.length, N);
  const plain = (v) => (v instanceof Date ? v.toISOString() : Buffer.isBuffer(v) ? v.toString('hex') : v);
  for (let i = 0; i < N; i++) {
    const [a, b] = [got[i].map(plain), rows[i].map(plain)];
    if (b[20]) b[20] = `${b[20].slice(0, 10)}T00:00:00.000Z`;
    if (a[21]) a[21] = a[21].slice(11);
    if (b[21]) b[21] = b[21].slice(11);
    if (JSON.stringify(a) !== JSON.stringify(b)) {
      const at = a.findIndex((v, n) => v !== b[n]);
      console.error(`FAILED row ${i}, column ${columns[at][0]}: got ${a[at]}, expected ${b[at]}`);
      process.exit(1);
    }
  }
  check('every value comes back', true, true);

  await query(c, "CREATE TABLE d (id int IDENTITY(10, 5) PRIMARY KEY, a int NOT NULL, s varchar(5) NULL DEFAULT 'dflt')");
  const ds = [['a', TYPES.Int], ['s', TYPES.VarChar, { length: 5 }]];
  await load(c, 'd', {}, ds, [[1, 'one'], [2, null]]);
  await load(c, 'd', { keepNulls: true }, ds, [[3, null]]);
  await load(c, 'd', {}, [['id', TYPES.Int], ...ds], [[100, 4, 'four']]);
  check('defaults, kept NULLs, kept identities', await query(c, 'SELECT * FROM d ORDER BY id'),
    [[10, 1, 'one'], [15, 2, 'dflt'], [20, 3, null], [100, 4, 'four']]);

  await query(c, 'CREATE TABLE k (id int NOT NULL CONSTRAINT pk PRIMARY KEY CONSTRAINT positive CHECK (id > 0), v varchar(3))');
  const ks = [['id', TYPES.Int], ['v', TYPES.VarChar, { length: 10 }]];
  const many = Array.from({ length: 50000 }, (_, i) => [i + 1, 'abc']);
  check('a duplicate key in the middle is 2627', await failure(load(c, 'k', {}, ks, [...many, [7, 'x'], ...many])), 2627);
  check('a check constraint is 547', await failure(load(c, 'k', { checkConstraints: true }, ks, [[-1, 'x']])), 547);
  check('NULL is 515', await failure(load(c, 'k', {}, ks, [[null, 'x']])), 515);
  check('too long is 2628', await failure(load(c, 'k', {}, ks, [[1, 'abcd']])), 2628);
  check('no such column is 207', await failure(load(c, 'k', {}, [['nope', TYPES.Int]], [[1]])), 207);
  check('no such table is 208', await failure(load(c, 'nope', {}, ks, [[1, 'x']])), 208);
  check('a type that cannot be stored is 4816', await failure(load(c, 'k', {}, [['id', TYPES.UniqueIdentifier]],
    [['01234567-89AB-CDEF-0123-456789ABCDEF']])), 4816);
  check('nothing is left of all these', await query(c, 'SELECT COUNT(*) FROM k'), [[0]]);
  check('constraints are not looked at by default', await load(c, 'k', {}, ks, [[-1, 'x']]), 1);
  await query(c, 'TRUNCATE TABLE k');

  // A source that breaks in the middle: the client gives the message up.
  async function* broken() {
    for (let i = 0; i < 20000; i++) yield [i + 1, 'abc'];
    throw new Error('the source broke');
  }
  const broke = await new Promise((resolve) => {
    const bulk = c.newBulkLoad('k', {}, (error) => resolve(error ? error.message : 'no error'));
    for (const [name, type, more] of ks) bulk.addColumn(name, type, { nullable: true, ...more });
    c.execBulkLoad(bulk, broken());
  });
  check('a load that is given up', broke, 'the source broke');
  check('leaves nothing and the session usable', await query(c, 'SELECT COUNT(*) FROM k'), [[0]]);
  c.close();

  // Cancelled from the client's side.
  const c2 = await connect();
  await query(c2, 'USE TediousBulk');
  async function* slow() {
    for (let i = 0; i < 1e6; i++) {
      yield [i + 1, 'abc'];
      if (i % 1000 === 0) await new Promise((r) => setTimeout(r, 5));
    }
  }
  const cancelled = await new Promise((resolve) => {
    const bulk = c2.newBulkLoad('k', {}, (error) => resolve(error ? error.code : 'no error'));
    for (const [name, type, more] of ks) bulk.addColumn(name, type, { nullable: true, ...more });
    c2.execBulkLoad(bulk, slow());
    setTimeout(() => c2.cancel(), 150);
  });
  check('a load that is cancelled', cancelled, 'ECANCEL');
  check('leaves nothing', await query(c2, 'SELECT COUNT(*) FROM k'), [[0]]);
  c2.close();
}

main().catch((error) => {
  console.error('FAILED', error);
  process.exit(1);
});
