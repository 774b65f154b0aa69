// A till of the shop in Node.js (tedious): HOST PORT USER PASSWORD ORDERS. Orders go in as rows of a table type.
const { Connection, Request, TYPES } = require('tedious');

const [host, port, user, password, orders] = process.argv.slice(2);
const DEADLOCK = 1205;
const PATIENCE = 60000; // milliseconds that a server may be away
let again = 0;

function connectOnce() {
  return new Promise((resolve, reject) => {
    const connection = new Connection({
      server: host,
      authentication: { type: 'default', options: { userName: user, password } },
      options: { port: Number(port), database: 'Shop', trustServerCertificate: true, requestTimeout: 60000, connectTimeout: 5000 },
    });
    connection.on('error', () => {});
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

async function connect() {
  const until = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await connectOnce();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((wake) => setTimeout(wake, 200));
    }
  }
}

function once(connection, name, parameters, procedure) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const returned = {};
    const request = new Request(name, (error) => (error ? reject(error) : resolve({ rows, returned })));
    request.on('row', (columns) => rows.push(columns.map((c) => c.value)));
    request.on('returnValue', (parameter, value) => { returned[parameter] = value; });
    request.on('doneProc', (_count, _more, status) => { returned.status = status; });
    for (const [parameter, type, value, output] of parameters) {
      if (output) request.addOutputParameter(parameter, type, value);
      else request.addParameter(parameter, type, value);
    }
    if (procedure) connection.callProcedure(request);
    else connection.execSql(request);
  });
}

// A request that a deadlock or a lost connection has ended is sent again.
async function ask(till, name, parameters = [], procedure = false) {
  for (;;) {
    try {
      return await once(till.connection, name, parameters, procedure);
    } catch (error) {
      const lost = ['ESOCKET', 'ECLOSE', 'ECONNRESET', 'EPIPE', 'EINVALIDSTATE'].includes(error.code);
      if (error.number !== DEADLOCK && !lost) throw error;
      again += 1;
      if (lost) till.connection = await connect();
    }
  }
}

async function main() {
  const till = { connection: await connect() };
  const day = (await ask(till, 'SELECT CONVERT(char(8), ref.CurrentDay(), 112)')).rows[0][0];
  const customers = (await ask(till, 'SELECT CustomerNumber FROM party.Customer WHERE Active = 1 ORDER BY CustomerNumber')).rows;
  const goods = (await ask(till, "SELECT Sku FROM catalog.Product WHERE Discontinued = 0 AND Sku NOT LIKE 'KIT%' ORDER BY Sku")).rows;
  let reserved = 0;
  let billed = 0;
  for (let n = 1; n <= Number(orders); n += 1) {
    const rows = [];
    for (let k = 0; k <= n % 3; k += 1) rows.push([k + 1, goods[(11 * n + 5 * k) % goods.length][0], 1 + ((n + k) % 4), null]);
    const lines = {
      schema: 'sales',
      name: 'OrderLineList',
      columns: [
        { name: 'LineNumber', type: TYPES.Int },
        { name: 'Sku', type: TYPES.VarChar, length: 20 },
        { name: 'Quantity', type: TYPES.Decimal, precision: 18, scale: 3 },
        { name: 'DiscountPercent', type: TYPES.Decimal, precision: 7, scale: 4 },
      ],
      rows,
    };
    const { returned } = await ask(till, 'sales.PlaceOrder', [
      ['CustomerNumber', TYPES.Int, customers[(3 * n) % customers.length][0]],
      ['Lines', TYPES.TVP, lines],
      ['CustomerReference', TYPES.NVarChar, `JS-${day}-${n}`],
      ['SalesOrderId', TYPES.Int, null, true],
    ], true);
    const id = [['SalesOrderId', TYPES.Int, returned.SalesOrderId]];
    const state = (await ask(till, 'SELECT State FROM sales.SalesOrder WHERE SalesOrderId = @SalesOrderId', id)).rows[0][0];
    if (state === 'N') reserved += (await ask(till, 'sales.ReserveOrder', id, true)).returned.status === 0 ? 1 : 0;
  }
  for (const warehouse of [3, 2, 1]) {
    for (;;) {
      const claimed = await ask(till, 'stock.ClaimPickTask', [
        ['WarehouseId', TYPES.Int, warehouse],
        ['Picker', TYPES.NVarChar, 'node'],
        ['SalesOrderId', TYPES.Int, null, true],
      ], true);
      if (claimed.returned.SalesOrderId === null) break;
      const id = [['id', TYPES.Int, claimed.returned.SalesOrderId]];
      await ask(till, "IF EXISTS (SELECT * FROM sales.SalesOrder WHERE SalesOrderId = @id AND State = 'R') EXEC sales.ShipOrder @id", id);
      await ask(till, "IF EXISTS (SELECT * FROM sales.SalesOrder WHERE SalesOrderId = @id AND State = 'S') EXEC sales.InvoiceOrder @id", id);
      billed += 1;
    }
  }
  till.connection.close();
  console.log(`node: ${orders} placed, ${reserved} reserved, ${billed} billed, ${again} asked again`);
}

main().catch((error) => { console.error(error); process.exit(1); });
