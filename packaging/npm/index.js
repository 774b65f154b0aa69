'use strict';
// A server process on a free port, which ends with its owner.

const { execFile, spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const READY = 'taffrail ready: tds=';

/** The binary: what TAFFRAIL_BINARY names, else the one of this package, else that of PATH. */
function binary() {
  const own = path.join(__dirname, 'bin', 'taffrail');
  return process.env.TAFFRAIL_BINARY || (fs.existsSync(own) ? own : 'taffrail');
}

/** Ours without the variables that would be settings of the server. */
function environment(more) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(TAFFRAIL_|MSSQL_|SQLCMD)/.test(name) && name !== 'SA_PASSWORD',
  );
  return { ...Object.fromEntries(kept), ...more };
}

const quoted = (name) => `[${name.replaceAll(']', ']]')}]`;

/** An error as sqlcmd shows it. */
function said({ number, severity, state, procedure, line, text }) {
  const where = procedure ? `Procedure ${procedure}, Line ${line}` : `Line ${line}`;
  return `Msg ${number}, Level ${severity}, State ${state}, ${where}\n${text}`;
}

const running = new Set();
process.on('exit', () => {
  for (const server of running) server.kill();
});

/** A database, and how it is reached. */
class Database {
  constructor(server, name) {
    this.server = server;
    this.name = name;
  }

  /** What tedious takes. */
  config() {
    const { host, port, user, password } = this.server;
    return {
      server: host,
      authentication: { type: 'default', options: { userName: user, password } },
      options: { port, database: this.name, encrypt: true, trustServerCertificate: true },
    };
  }

  /** What mssql, Prisma and others take. */
  get connectionString() {
    const { host, port, user, password } = this.server;
    return (
      `Server=${host},${port};Database=${this.name};User Id=${user};Password=${password};` +
      'Encrypt=true;TrustServerCertificate=true'
    );
  }

  /**
   * Runs a batch; the rows of its first result set as lists of text, null for NULL, binary as '0x…'. For what needs no
   * driver.
   */
  async query(sql) {
    return (await this.results(sql))[0] ?? [];
  }

  /** Runs a batch; all its result sets, each as `query` has the first. An error of the server rejects. */
  results(sql) {
    const { host, port, user, password } = this.server;
    const words = ['query', '-S', `${host},${port}`, '-U', user, '-d', this.name];
    const options = { env: environment({ SQLCMDPASSWORD: password }), maxBuffer: Infinity };
    return new Promise((resolve, reject) => {
      const child = execFile(binary(), words, options, (error, out, complained) => {
        const results = [];
        const errors = [];
        for (const line of out.split('\n').filter(Boolean)) {
          const { columns, row, message } = JSON.parse(line);
          if (columns) results.push([]);
          else if (row) results.at(-1).push(row);
          else if (message?.severity > 10) errors.push(said(message));
        }
        if (!error) return resolve(results);
        if (complained.trim()) errors.push(complained.trim());
        reject(new Error(errors.join('\n') || error.message));
      });
      // One that has ended already has said why.
      child.stdin.on('error', () => {});
      child.stdin.end(sql);
    });
  }

  /** Drops it, whoever is still in it. */
  async drop() {
    const name = quoted(this.name);
    await this.server.query(
      `ALTER DATABASE ${name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE ${name}`,
    );
  }
}

/** A running server; as a database it is its master. */
class Taffrail extends Database {
  #process;
  #own;
  #made = 0;

  /**
   * Starts a server on a free port and a data directory of its own, and waits until it is ready. Options: `data` (a directory
   * that stays), `password`, `port`, `args` (more flags of `taffrail serve`), `timeout` (ms).
   */
  static async start(options = {}) {
    const server = new Taffrail(null, 'master');
    await server.#start(options);
    return server;
  }

  async #start({ data, password, port = 0, args = [], timeout = 60000 }) {
    this.server = this;
    this.host = '127.0.0.1';
    this.user = 'sa';
    this.password = password ?? `${randomBytes(15).toString('base64url')}aA1!`;
    this.#own = data === undefined;
    this.data = data ?? fs.mkdtempSync(path.join(os.tmpdir(), 'taffrail-'));
    const words = ['serve', '--data', this.data, '--listen', `${this.host}:${port}`];
    words.push('--admin-listen', 'off', '--console', 'off', ...args);
    this.#process = spawn(binary(), words, {
      env: environment({ TAFFRAIL_SA_PASSWORD: this.password }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this);
    let said = '';
    this.#process.stderr.on('data', (text) => {
      said = (said + text).slice(-4096);
    });
    try {
      this.port = await this.#ready(timeout, () => said);
    } catch (error) {
      await this.stop();
      throw error;
    }
    // A test program that forgets to stop it may end all the same; the listener above takes the server along.
    this.#process.unref();
    this.#process.stdout.unref();
    this.#process.stderr.unref();
  }

  #ready(timeout, said) {
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`the server did not start: ${said().trim() || why}`));
      const timer = setTimeout(() => fail(`not ready in ${timeout} ms`), timeout);
      let line = '';
      this.#process.stdout.on('data', (text) => {
        line += text;
        const found = /tds=\S+:(\d+) /.exec(line);
        if (!line.startsWith(READY.slice(0, line.length)) || !found) return;
        clearTimeout(timer);
        resolve(Number(found[1]));
      });
      this.#process.on('error', (error) => fail(error.message));
      this.#process.on('close', () => {
        clearTimeout(timer);
        fail('it has ended');
      });
    });
  }

  get pid() {
    return this.#process.pid;
  }

  /** A new, empty database; without a name it gets one that nobody has. */
  async createDatabase(name) {
    this.#made += 1;
    const chosen = name ?? `test_${this.#made}_${randomBytes(4).toString('hex')}`;
    await this.query(`CREATE DATABASE ${quoted(chosen)}`);
    return new Database(this, chosen);
  }

  /** SIGTERM, the end, and the data directory goes if it is this object's own. Twice is as good as once. */
  async stop() {
    if (!running.delete(this)) return;
    const { exitCode, signalCode, pid } = this.#process;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      this.#process.ref();
      const ended = new Promise((resolve) => this.#process.once('exit', resolve));
      this.#process.kill('SIGTERM');
      const timer = setTimeout(() => this.#process.kill('SIGKILL'), 60000);
      await ended;
      clearTimeout(timer);
    }
    this.#remove();
  }

  /** The end at once, where nobody can wait any more. */
  kill() {
    running.delete(this);
    this.#process.kill('SIGKILL');
    this.#remove();
  }

  #remove() {
    if (this.#own) fs.rmSync(this.data, { recursive: true, force: true });
  }
}

module.exports = { Database, Taffrail, binary };
