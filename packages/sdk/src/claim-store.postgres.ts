import { type Claim, type ClaimStore, type Once, type TransactionalStore, retentionDays } from './claim-store.js';
import { type PostgresClient, type PostgresPool, tableName } from './postgres-client.js';

const defaultTable = 'tributary_claim';

/** The statement that makes the table, if it is not there. Put it into your migrations. */
export function claimTableSql(table: string = defaultTable): string {
  const name = tableName(table);
  return `create table if not exists ${name} (
  endpoint text not null,
  webhook_id text not null,
  token uuid,
  leased_until timestamptz,
  done_at timestamptz,
  claims integer not null default 1,
  -- Of the first claim, and never changed: what the purge looks at must not make a completion write to an index.
  claimed_at timestamptz not null default now(),
  primary key (endpoint, webhook_id),
  check ((done_at is null) = (token is not null) and (done_at is null) = (leased_until is not null))
) with (fillfactor = 80);
create index if not exists ${name.replace('.', '_')}_age on ${name} (claimed_at);`;
}

/**
 * A store that all processes of a receiver share. Holds no personal data: endpoint names and event ids.
 * @param client a pool: each method is one statement
 */
export function postgresStore(client: PostgresClient, options: { readonly table?: string } = {}): ClaimStore {
  const sql = statements(tableName(options.table ?? defaultTable));
  const touched = async (text: string, values: unknown[]): Promise<boolean> => (await client.query(text, values)).rows.length > 0;

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      const token = crypto.randomUUID();
      const [row] = (await client.query(sql.claim, [key.endpoint, key.id, token, leaseSeconds])).rows as ClaimRow[];
      if (!row) return { is: 'done' };
      return row.claimed ? { is: 'claimed', token, takenOver: row.claims > 1 } : { is: 'in-progress', retryAfterSeconds: row.wait_s };
    },
    extend: (key, token, leaseSeconds) => touched(sql.extend, [key.endpoint, key.id, token, leaseSeconds]),
    complete: (key, token) => touched(sql.complete, [key.endpoint, key.id, token]),
    release: (key, token) => touched(sql.release, [key.endpoint, key.id, token]),
    async purge(olderThanDays = retentionDays) {
      let purged = 0;
      for (;;) {
        const { rows } = await client.query(sql.purge, [olderThanDays, purgeAtOnce]);
        purged += rows.length;
        if (rows.length < purgeAtOnce) return purged;
      }
    },
  };
}

/**
 * Runs something in one transaction: begins, calls `work` with the client that holds the transaction, commits; rolls back and rejects
 * when `work` rejects. For those whose transactions are begun by a library of their own (TypeORM, Knex, Drizzle, …).
 */
export type InTransaction<Transaction> = (work: (client: PostgresClient, transaction: Transaction) => Promise<Once>) => Promise<Once>;

/**
 * Transactional mode: claim, effects and completion in your own transaction. Handlers get it as `context.transaction`.
 * Needs READ COMMITTED, the default of Postgres. An event is held by a lock that ends with its transaction, so nobody waits for a lease
 * when a process dies, and a second attempt is told to come back at once instead of waiting for the first.
 * @param source a `pg` Pool, or a function that runs something in a transaction
 */
export function postgresTransactions<Client extends PostgresClient>(
  source: PostgresPool<Client>,
  options?: { readonly table?: string },
): TransactionalStore<Client>;
export function postgresTransactions<Transaction>(
  source: InTransaction<Transaction>,
  options?: { readonly table?: string },
): TransactionalStore<Transaction>;
export function postgresTransactions<Transaction>(
  source: PostgresPool<PostgresClient> | InTransaction<Transaction>,
  options: { readonly table?: string } = {},
): TransactionalStore<Transaction> {
  const sql = statements(tableName(options.table ?? defaultTable));
  const inTransaction = typeof source === 'function' ? source : (fromPool(source) as InTransaction<Transaction>);
  return {
    once: (key, work) =>
      inTransaction(async (client, transaction) => {
        const token = crypto.randomUUID();
        const [row] = (await client.query(sql.claimInTransaction, [key.endpoint, key.id, token])).rows as HeldRow[];
        if (!row?.free) return { is: 'in-progress', retryAfterSeconds: 1 };
        if (row.claimed === null) return { is: 'done' };
        if (!row.claimed) return { is: 'in-progress', retryAfterSeconds: row.wait_s };
        await work(transaction);
        // Fails, too, when a statement of the handler failed and the handler went on: a bare commit would then undo it in silence.
        const completed = await client.query(sql.complete, [key.endpoint, key.id, token]);
        if (completed.rows.length === 0)
          throw new Error('The claim is not in the transaction any more: the handler ended the transaction.');
        return { is: 'handled' };
      }),
  };
}

function fromPool(pool: PostgresPool<PostgresClient>): InTransaction<PostgresClient> {
  return async (work) => {
    const client = await pool.connect();
    const endListening = outliveErrors(client);
    let undone = true;
    try {
      await client.query('begin isolation level read committed', []);
      const outcome = await work(client, client);
      await client.query('commit', []);
      return outcome;
    } catch (error) {
      undone = await client.query('rollback', []).then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      endListening();
      // A client that could not roll back may still hold the transaction: it does not go back to the pool.
      client.release(!undone);
    }
  };
}

interface Emitter {
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

/**
 * A pool listens to its idle clients alone: if a connection broke while a handler waits for something else, the `error` that nobody
 * listens to would end the process. The next statement rejects, which is all that has to be known.
 */
function outliveErrors(client: PostgresClient & Partial<Emitter>): () => void {
  const listener = (): void => undefined;
  client.on?.('error', listener);
  return () => void client.removeListener?.('error', listener);
}

interface HeldRow extends Omit<ClaimRow, 'claimed'> {
  readonly free: boolean;
  readonly claimed: boolean | null;
}

interface ClaimRow {
  readonly claimed: boolean;
  readonly claims: number;
  readonly wait_s: number;
}

/** Short transactions: a purge of millions must not hold back the vacuum, or the claims. */
const purgeAtOnce = 1_000;

function statements(table: string) {
  // The conflict clause locks the row and looks at its newest state, so two claims at once cannot both win; a row that is done
  // is not touched, and no row comes back. statement_timestamp, because every expression must see one and the same instant.
  const free = 'held.leased_until <= statement_timestamp()';
  const lease = 'statement_timestamp() + make_interval(secs => $4::float8)';
  const mine = 'endpoint = $1 and webhook_id = $2 and token = $3::uuid';
  const seconds = `greatest(1, ceil(extract(epoch from leased_until - statement_timestamp())))::int as wait_s`;
  return {
    // The lock is asked for before the row: an insert beside another transaction's would wait for the end of that.
    claimInTransaction: `with latch as materialized (
  select pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0)) as free
), claim as (
  insert into ${table} as held (endpoint, webhook_id, token, leased_until)
  select $1, $2, $3::uuid, statement_timestamp() from latch where free
  on conflict (endpoint, webhook_id) do update set
    token = case when ${free} then excluded.token else held.token end,
    claims = case when ${free} then held.claims + 1 else held.claims end
  where held.done_at is null
  returning token = $3::uuid as claimed, claims, ${seconds}
)
select free, claimed, claims, wait_s from latch left join claim on true`,
    claim: `insert into ${table} as held (endpoint, webhook_id, token, leased_until) values ($1, $2, $3::uuid, ${lease})
on conflict (endpoint, webhook_id) do update set
  token = case when ${free} then excluded.token else held.token end,
  leased_until = case when ${free} then excluded.leased_until else held.leased_until end,
  claims = case when ${free} then held.claims + 1 else held.claims end
where held.done_at is null
returning token = $3::uuid as claimed, claims, ${seconds}`,
    extend: `update ${table} set leased_until = ${lease} where ${mine} returning 1`,
    complete: `update ${table} set done_at = clock_timestamp(), token = null, leased_until = null where ${mine} returning 1`,
    release: `delete from ${table} where ${mine} returning 1`,
    purge: `delete from ${table} where (endpoint, webhook_id) in (
  select endpoint, webhook_id from ${table}
  where claimed_at < now() - make_interval(secs => $1::float8 * 86400)
    and coalesce(done_at, leased_until) < now() - make_interval(secs => $1::float8 * 86400)
  order by claimed_at limit $2)
returning 1`,
  };
}
