// tedious (Node.js) against a running server: HOST PORT PASSWORD WORKLOADS. Runs once per encryption setting.
const fs = require('fs');
const path = require('path');
const { Connection, Request, TYPES, ISOLATION_LEVEL } = require('tedious');

const [host, port, password, workloads] = process.argv.slice(2);

function check(name, got, expected) {
  const [g, e] = [JSON.stringify(got), JSON.stringify(expected)];
  if (g !== e) {
    console.error(`FAILED ${name}: got ${g}, expected ${e}`);
    process.exit(1);
  }
  console.log('ok', name);
}

function connect(options, user = 'sa', secret = password) {
  return new Promise((resolve, reject) => {
    const connection = new Connection({
      server: host,
      authentication: { type: 'default', options: { userName: user, password: secret } },
      options: { port: Number(port), trustServerCertificate: true, requestTimeout: 60000, ...options },
    });
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

function execute(connection, sql, { parameters = [], batch = false, call = false, before } = {}) {
  return new Promise((resolve, reject) => {
    const sets = [];
    const returned = {};
    const request = new Request(sql, (error, rowCount) => (error ? reject(error) : resolve({ sets, rowCount, returned })));
    request.on('columnMetadata', () => sets.push([]));
    request.on('row', (columns) => sets[sets.length - 1].push(columns.map((c) => c.value)));
    request.on('returnValue', (name, value) => { returned[name] = value; });
    request.on('doneProc', (_count, _more, status) => { returned.status = status; });
    for (const [name, type, value, output] of parameters) {
      if (output) request.addOutputParameter(name, type, value);
      else request.addParameter(name, type, value);
    }
    if (before) before(request);
    if (call) connection.callProcedure(request);
    else if (batch) connection.execSqlBatch(request);
    else connection.execSql(request);
  });
}

// What the columns of a result are, with their lengths.
async function columnTypes(connection, sql) {
  const types = [];
  const note = (request) => request.on('columnMetadata', (columns) => {
    types.push(...columns.map((c) => [c.type.name, c.dataLength ?? 0]));
  });
  await execute(connection, sql, { batch: true, before: note });
  return types;
}

async function runScript(connection, name, variables = {}) {
  let text = fs.readFileSync(path.join(workloads, name), 'utf8');
  for (const [key, value] of Object.entries(variables)) text = text.replaceAll(`$(${key})`, String(value));
  const sets = [];
  for (const batch of text.split(/^\s*go\s*$/im)) {
    if (batch.trim()) sets.push(...(await execute(connection, batch, { batch: true })).sets);
  }
  return sets;
}

const transaction = (connection, verb, ...args) =>
  new Promise((resolve, reject) => connection[verb]((error) => (error ? reject(error) : resolve()), ...args));

async function main() {
  for (const encrypt of [true, false]) {
    const connection = await connect({ encrypt });
    check(`select 1, encrypt ${encrypt}`, (await execute(connection, 'SELECT 1')).sets, [[[1]]]);
    connection.close();
  }
  const connection = await connect({ encrypt: true });
  const typed = await execute(connection, 'SELECT @i, @s, @d, @b, @n', {
    parameters: [['i', TYPES.Int, 42], ['s', TYPES.NVarChar, 'grüße'], ['d', TYPES.DateTime2, new Date('2026-11-21T10:11:12.123Z')],
      ['b', TYPES.Bit, true], ['n', TYPES.VarChar, null]],
  });
  check('parameters', typed.sets[0][0], [42, 'grüße', '2026-11-21T10:11:12.123Z', true, null]);

  const large = await columnTypes(connection, `SELECT CAST('abc' AS text), CAST(N'abc' AS ntext), CAST('abc' AS image), CAST('<a/>' AS xml)
    UNION ALL SELECT 'abc', N'abc', 0x616263, '<a/>'`);
  const kinds = [['Text', 2147483647], ['NText', 2147483646], ['Image', 2147483647], ['Xml', 0]];
  check('text, ntext, image and xml of expressions', large, kinds);
  const chosen = await columnTypes(connection, `SELECT ISNULL(t, ''), COALESCE(n, N''), CASE WHEN 1 = 1 THEN i END, (SELECT x)
    FROM (SELECT CAST('' AS text) AS t, CAST(N'' AS ntext) AS n, CAST(0x AS image) AS i, CAST('' AS xml) AS x) AS d`);
  check('the same, chosen', chosen, kinds);
  const passed = await columnTypes(connection, `EXEC sp_executesql N'SELECT @t, @n, @i, @x', N'@t text, @n ntext, @i image, @x xml', 'a', N'a', 0x01, ''`);
  check('the same, passed', passed, kinds);

  await execute(connection, 'CREATE DATABASE TediousTest', { batch: true });
  await execute(connection, 'USE TediousTest', { batch: true });
  await execute(connection, 'CREATE TABLE t (id int IDENTITY PRIMARY KEY, v nvarchar(50))', { batch: true });
  await execute(connection, 'CREATE PROCEDURE twice @n int, @out int OUTPUT AS SET @out = @n * 2 RETURN 3', { batch: true });
  const called = await execute(connection, 'twice', {
    call: true, parameters: [['n', TYPES.Int, 21], ['out', TYPES.Int, 0, true]],
  });
  check('procedure', [called.returned.out, called.returned.status], [42, 3]);
  await execute(connection, 'CREATE TYPE dbo.Pairs AS TABLE (id int PRIMARY KEY, v nvarchar(max), w decimal(9, 2) NULL)', { batch: true });
  await execute(connection, 'CREATE PROCEDURE dbo.pairs_of @n int, @p dbo.Pairs READONLY AS SELECT id + @n, v, w FROM @p ORDER BY id', { batch: true });
  const pairs = (rows) => ({
    name: 'Pairs', schema: 'dbo', rows,
    columns: [{ name: 'id', type: TYPES.Int }, { name: 'v', type: TYPES.NVarChar, length: Infinity },
      { name: 'w', type: TYPES.Decimal, precision: 9, scale: 2 }],
  });
  const handed = await execute(connection, 'dbo.pairs_of', {
    call: true, parameters: [['n', TYPES.Int, 10], ['p', TYPES.TVP, pairs([[2, 'zwei', 2.5], [1, 'ü'.repeat(9000), null]])]],
  });
  check('a table to a procedure', handed.sets[0].map(([id, v, w]) => [id, v.length, w]), [[11, 9000, null], [12, 4, 2.5]]);
  const twice = await execute(connection, 'dbo.pairs_of', {
    call: true, parameters: [['n', TYPES.Int, 0], ['p', TYPES.TVP, pairs([[1, 'a', 1], [1, 'b', 2]])]],
  }).catch((e) => e);
  check('a key twice', twice.number, 2627);
  const inserted = await execute(connection, 'INSERT t (v) VALUES (@v); SELECT SCOPE_IDENTITY()', {
    parameters: [['v', TYPES.NVarChar, 'one']],
  });
  check('scope_identity', Number(inserted.sets[0][0][0]), 1);

  await transaction(connection, 'beginTransaction', 'tran', ISOLATION_LEVEL.READ_COMMITTED);
  await execute(connection, "INSERT t (v) VALUES ('two')");
  await transaction(connection, 'rollbackTransaction');
  await transaction(connection, 'beginTransaction');
  await execute(connection, "INSERT t (v) VALUES ('three')");
  await transaction(connection, 'commitTransaction');
  check('transactions', (await execute(connection, 'SELECT v FROM t ORDER BY id')).sets[0], [['one'], ['three']]);

  const prepared = new Request('SELECT v FROM t WHERE id = @id', () => {});
  prepared.addParameter('id', TYPES.Int);
  await new Promise((resolve, reject) => {
    prepared.on('prepared', resolve);
    prepared.on('error', reject);
    connection.prepare(prepared);
  });
  const rows = [];
  prepared.on('row', (columns) => rows.push(columns[0].value));
  for (const id of [1, 3]) {
    await new Promise((resolve, reject) => {
      prepared.userCallback = (error) => (error ? reject(error) : resolve());
      connection.execute(prepared, { id });
    });
  }
  check('prepared statement', rows, ['one', 'three']);
  await new Promise((resolve) => {
    prepared.userCallback = () => resolve();
    connection.unprepare(prepared);
  });

  const began = Date.now();
  const error = await execute(connection, 'DECLARE @i int = 0 WHILE 1 = 1 SET @i = @i + 1', {
    batch: true, before: () => setTimeout(() => connection.cancel(), 300),
  }).catch((e) => e);
  check('a running loop is cancelled', [error.code, Date.now() - began < 3000], ['ECANCEL', true]);
  check('usable after a cancel', (await execute(connection, 'SELECT 2')).sets, [[[2]]]);
  await new Promise((resolve, reject) => connection.reset((e) => (e ? reject(e) : resolve())));
  check('reset goes back to the login database', (await execute(connection, 'SELECT DB_NAME()')).sets, [[['master']]]);

  const loop = await runScript(connection, 'while-loop.sql', { rows: 500 });
  check('while loop', [loop[0], loop[1]], [[[500, 1, 500]], [[500]]]);
  const delayed = await runScript(connection, 'delayed-durability.sql');
  check('delayed durability', delayed[delayed.length - 2], [[1100, 1, 1100]]);
  const customer = await runScript(connection, 'customer.sql', { rows: 2000 });
  check('customer', [customer[0], customer[2], customer[4]], [[[2000]], [[2000]], [[0]]]);
  connection.close();

  const refused = await connect({ encrypt: true }, 'sa', 'wrong').catch((e) => e);
  check('wrong password', [refused.code, /Login failed for user 'sa'/.test(refused.message)], ['ELOGIN', true]);
}

main().then(() => process.exit(0), (error) => {
  console.error('FAILED', error);
  process.exit(1);
});
