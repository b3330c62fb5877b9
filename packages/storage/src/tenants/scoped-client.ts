import pg from 'pg';

/** Whose rows the database shows: those of one environment, or the row of the one API key that was presented. */
export type VisibleRows = { readonly tenantId: string; readonly environment: string } | { readonly presentedKey: Buffer };

/** Parts of pg that its types leave out; of version 8, which the lock file pins. */
interface Wire {
  bind(message: {
    portal: string;
    statement: string;
    values: readonly string[];
    binary: false;
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(message: { portal: string; rows: number }): void;
}
interface QueryParts {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  submit: pg.Submittable['submit'];
}
const Query = pg.Query as unknown as new (config: pg.QueryConfig) => QueryParts;

const STATEMENT = 'show-rows-of';
const TEXT = `
  select set_config('tributary.tenant', $1, true), set_config('tributary.environment', $2, true), set_config('tributary.presented_key', $3, true)`;

/**
 * A statement that travels behind the word whose rows may be seen: both are sent at once and run as one transaction, so it costs no round
 * trip, and nothing of it is left on the connection for the next caller, also behind a pooler by transaction.
 */
class ScopedQuery extends Query {
  readonly #rows: VisibleRows;
  #told = false;

  constructor(config: pg.QueryConfig, rows: VisibleRows) {
    super(config);
    this.#rows = rows;
  }

  override prepare(connection: Wire): void {
    const rows = this.#rows;
    const values = 'presentedKey' in rows ? ['', '', rows.presentedKey.toString('hex')] : [rows.tenantId, rows.environment, ''];
    connection.bind({ portal: '', statement: STATEMENT, values, binary: false, valueMapper: (value) => value });
    connection.execute({ portal: '', rows: 0 });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#told) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#told) super.handleCommandComplete(message, connection);
    else this.#told = true;
  }
}

/**
 * A class of connections on which every statement with values sees what `visible` says at the moment of the call. Undefined, and statements
 * without values (`begin`, `commit`): nothing is said, so outside of a transaction no row is seen.
 */
export function scopedClient(visible: () => VisibleRows | undefined): typeof pg.Client {
  class ScopedClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const ready = super.connect().then(async () => {
        // Known to the connection from here on, so that later only its three values travel.
        await super.query({ name: STATEMENT, text: TEXT, values: ['', '', ''] });
        return this;
      });
      if (callback === undefined) return ready;
      ready.then(() => callback(null as unknown as Error), callback);
    }
  }
  const plain = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  // Written over instead of overridden: the eight overloads of pg say nothing here.
  Object.defineProperty(ScopedClient.prototype, 'query', {
    value(this: pg.Client, ...args: unknown[]): unknown {
      const [config, ...rest] = args as [Partial<pg.QueryConfig> & Partial<pg.Submittable>, ...unknown[]];
      const rows = rest.length === 0 && typeof config.submit !== 'function' && config.values !== undefined ? visible() : undefined;
      if (rows === undefined) return plain.apply(this, args);
      const query = new ScopedQuery(config as pg.QueryConfig, rows);
      return new Promise((resolve, reject) => {
        query.callback = (error, result) => (error ? reject(error) : resolve(result));
        plain.call(this, query);
      });
    },
  });
  return ScopedClient;
}
