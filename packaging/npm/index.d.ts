/** A database, and how it is reached. */
export class Database {
  readonly server: Taffrail;
  readonly name: string;
  /** What mssql, Prisma and others take. */
  readonly connectionString: string;
  /** What tedious takes. */
  config(): {
    server: string;
    authentication: { type: 'default'; options: { userName: string; password: string } };
    options: { port: number; database: string; encrypt: boolean; trustServerCertificate: boolean };
  };
  /** Runs a batch; the rows of its first result set as lists of text, null for NULL, binary as '0x…'. */
  query(sql: string): Promise<(string | null)[][]>;
  /** Runs a batch; all its result sets. */
  results(sql: string): Promise<(string | null)[][][]>;
  /** Drops it, whoever is still in it. */
  drop(): Promise<void>;
}

export interface Options {
  /** A data directory that stays; without it the server has one of its own, which goes at the end. */
  data?: string;
  password?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  /** More flags of `taffrail serve`. */
  args?: string[];
  /** How long it may take until it is ready, in ms. */
  timeout?: number;
}

/** A running server; as a database it is its master. */
export class Taffrail extends Database {
  static start(options?: Options): Promise<Taffrail>;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly data: string;
  readonly pid: number;
  /** A new, empty database; without a name it gets one that nobody has. */
  createDatabase(name?: string): Promise<Database>;
  /** Ends the server and waits for it. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** The path of the binary. */
export function binary(): string;
