import { type PgArrayType, pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { deliveryKey } from './delivery-key.js';
import type { NewDelivery } from './new-delivery.js';
import { reopenDeliveries } from './reopen-deliveries.js';
import { type SentDelivery, noticeParameters, targetsOf } from './targets-of-notices.js';
import { tellConnections } from './tell-connections.js';

/**
 * `unknown`: nobody that we hold, or somebody erased; then nothing was written. `new-in-part`: new, and some of those whom it names are such;
 * of them nothing was written. `stale`: new, and older than what finished reads are known to include, so that nothing will be read for it.
 */
export type Acceptance = 'new' | 'new-in-part' | 'stale' | 'duplicate' | 'unknown';

/** Those of a batch that have one key, in the order of their arrival. */
interface Group {
  readonly key: Buffer;
  readonly at: number[];
}

/**
 * Takes in many deliveries of many tenants in one statement, which is one commit. For each: finds the connections of its subjects,
 * holds them (for key share) against an erasure, leaves out whom a tombstone names, and writes the delivery and one notice for each
 * notice and connection, unless the delivery is there already. The same delivery twice in a batch is written once.
 * @returns in the order given.
 */
export async function acceptDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<Acceptance[]> {
  const results = new Array<Acceptance>(deliveries.length).fill('unknown');
  let groups = grouped(deliveries);
  while (groups.length > 0) {
    const sent = groups.map(({ key, at }) => ({ key, at: at[0] as number, delivery: deliveries[at[0] as number] as NewDelivery }));
    const { rows } = await sql.query<Verdict>({
      name: 'ingest/accept-deliveries',
      text,
      values: parameters(sent),
    });
    const known = new Array<boolean>(sent.length).fill(false);
    const repeats: (SentDelivery & { at: number })[] = [];
    for (const verdict of rows) {
      const { i, fresh } = verdict;
      known[i] = true;
      const one = sent[i] as (typeof sent)[number];
      results[one.at] = acceptanceOf(verdict, one.delivery.notices.length);
      if (!fresh && one.delivery.reopenable) repeats.push(one);
    }
    if (repeats.length > 0) {
      const opened = await reopenDeliveries(
        sql,
        repeats.map(({ key, delivery: { tenantId, environment } }) => ({ key, tenantId, environment })),
      );
      const told = await tellConnections(sql, repeats);
      repeats.forEach(({ at }, n) => {
        if (opened[n] || told[n]) results[at] = 'new';
      });
    }
    // Whoever has the key of one that is stored now is its duplicate. Where nobody knew the first, the next may say more.
    const left: Group[] = [];
    groups.forEach(({ key, at }, i) => {
      if (at.length === 1) return;
      const hash = (deliveries[at[0] as number] as NewDelivery).bodyHash;
      const others = at.slice(1);
      if (known[i]) for (const other of others) results[other] = 'duplicate';
      else left.push({ key, at: others.filter((other) => !(deliveries[other] as NewDelivery).bodyHash.equals(hash)) });
    });
    groups = left.filter(({ at }) => at.length > 0);
  }
  return results;
}

/** What the statement says of a delivery of which it knows somebody. */
interface Verdict {
  readonly i: number;
  readonly fresh: boolean;
  /** Notices with somebody to tell. */
  readonly told: number;
  readonly stale: boolean;
}

function acceptanceOf({ fresh, told, stale }: Verdict, notices: number): Acceptance {
  if (!fresh) return 'duplicate';
  if (told < notices) return 'new-in-part';
  return stale ? 'stale' : 'new';
}

/** Sorted by key, so that two processes with the same deliveries wait for each other and do not deadlock. */
function grouped(deliveries: readonly NewDelivery[]): Group[] {
  const keys = deliveries.map(deliveryKey);
  const order = keys.map((_, at) => at).sort((a, b) => Buffer.compare(keys[a] as Buffer, keys[b] as Buffer) || a - b);
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const at of order) {
    const key = keys[at] as Buffer;
    if (last?.key.equals(key)) last.at.push(at);
    else groups.push((last = { key, at: [at] }));
  }
  return groups;
}

/** What the statement is given, a list for each column: those of deliveries first. */
function parameters(sent: readonly SentDelivery[]): Buffer[] {
  const d = <T extends PgArrayType>(type: T, of: (one: SentDelivery, i: number) => Parameters<typeof pgArray<T>>[1][number]) =>
    pgArray(type, sent.map(of));
  return [
    d('int4', (_, i) => i),
    d('uuid', ({ key }) => key),
    d('text', ({ delivery }) => delivery.tenantId),
    d('text', ({ delivery }) => delivery.environment),
    d('text', ({ delivery }) => delivery.providerAppId),
    d('text', ({ delivery }) => delivery.deliveryId),
    d('float8', ({ delivery }) => (delivery.signedAt === undefined ? undefined : delivery.signedAt / 1000)),
    d('text', ({ delivery }) => delivery.grade),
    d('text', ({ delivery }) => delivery.secretId),
    d('bytea', ({ delivery }) => delivery.bodyHash),
    d('bytea', ({ delivery }) => delivery.rawBody),
    d('int4', ({ delivery }) => delivery.notices.length),
    ...noticeParameters(sent),
  ];
}

/** Only what comes this long after it happened is looked up: of what comes at once hardly anything has been read meanwhile. */
const LATE_US = 60_000_000;

// \`known.told\` counts each notice once, so a delivery of which any subject is unknown keeps no body.
// Repeats are looked for in the period before this one; those within this one meet its key. Lists are never joined to each other but
// looked up by `in`, and in `where` by `in … is true`: the planner thinks them short, since it cannot see how long an array will
// be, and would join them row by row.
const text = `
  with ${targetsOf(13)}
  , known as materialized (
    select i, delivery_key, count(distinct ordinal)::int4 as told, count(*)::int4 as notices, bool_and(case
      when version < (extract(epoch from now()) * 1000000)::int8 - ${LATE_US} then coalesce((
        select w.covered_version > t.version or w.covered_version = t.version and t.version % 1000000 <> 0
        from fetch_window w
        where w.tenant_id = t.tenant_id and w.environment = t.environment and w.connection_id = t.connection_id
          and w.collection = t.collection and w.window_kind = t.window_kind and w.window_start = t.window_start
          and w.window_end = t.window_end), false)
      else false end) as stale
    from target t group by i, delivery_key
  ), written as (
    insert into webhook_delivery (delivery_key, tenant_id, environment, provider_app_id, delivery_id, period, notices, signed_at, grade,
      secret_id, body_hash, raw_body)
    select d.delivery_key, d.tenant_id, d.environment, d.provider_app_id, d.delivery_id, webhook_period(now()),
      case when d.i in (select i from known where notices = 1) then 1 else (select notices from known where known.i = d.i) end,
      to_timestamp(d.signed_at), d.grade, d.secret_id, d.body_hash,
      case when (d.i, d.notices) in (select i, told from known) then d.raw_body end
    from unnest($1::int4[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[], $9::text[], $10::bytea[],
      $11::bytea[], $12::int4[]) as d (i, delivery_key, tenant_id, environment, provider_app_id, delivery_id, signed_at, grade, secret_id,
      body_hash, raw_body, notices)
    where (d.i in (select i from known)) is true and not exists (
      select 1 from webhook_delivery o
      where o.delivery_key = d.delivery_key and o.tenant_id = d.tenant_id and o.environment = d.environment
        and o.period = webhook_period(now()) - 1)
    order by d.i
    on conflict do nothing
    returning delivery_key
  ), told as (
    insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, period, version, reopenable,
      kind, collection, window_kind, window_start, window_end, carried)
    select t.tenant_id, t.environment, t.provider_app_id, t.delivery_key, t.ordinal, t.connection_id, webhook_period(now()), t.version,
      t.reopenable, t.kind, t.collection, t.window_kind, t.window_start, t.window_end, t.carried
    from target t
    where (t.delivery_key in (select delivery_key from written)) is true
  )
  select i, delivery_key in (select delivery_key from written) as fresh, told, stale from known`;
