import { type Claim, type ClaimStore, retentionDays } from './claim-store.js';
import { type PostgresClient, tableName } from './postgres-client.js';

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
  primary key (endpoint, webhook_id),
  check ((done_at is null) = (token is not null) and (done_at is null) = (leased_until is not null))
);
create index if not exists ${name.replace('.', '_')}_age on ${name} (coalesce(done_at, leased_until));`;
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
  return {
    claim: `insert into ${table} as held (endpoint, webhook_id, token, leased_until) values ($1, $2, $3::uuid, ${lease})
on conflict (endpoint, webhook_id) do update set
  token = case when ${free} then excluded.token else held.token end,
  leased_until = case when ${free} then excluded.leased_until else held.leased_until end,
  claims = case when ${free} then held.claims + 1 else held.claims end
where held.done_at is null
returning token = $3::uuid as claimed, claims,
  greatest(1, ceil(extract(epoch from leased_until - statement_timestamp())))::int as wait_s`,
    extend: `update ${table} set leased_until = ${lease} where ${mine} returning 1`,
    complete: `update ${table} set done_at = clock_timestamp(), token = null, leased_until = null where ${mine} returning 1`,
    release: `delete from ${table} where ${mine} returning 1`,
    purge: `delete from ${table} where (endpoint, webhook_id) in (
  select endpoint, webhook_id from ${table} where coalesce(done_at, leased_until) < now() - make_interval(secs => $1::float8 * 86400)
  order by coalesce(done_at, leased_until) limit $2)
returning 1`,
  };
}
