import { type Notice, type Scope, windowColumns } from '@tributary/domain';
import { type PgArrayType, pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { deliveryKey } from './delivery-key.js';
import { reopenDeliveries } from './reopen-deliveries.js';

/** A proved delivery with at least one notice. */
export interface NewDelivery extends Scope {
  readonly providerAppId: string;
  readonly deliveryId: string;
  /** Made from a body that two real changes may share: a repeat is news once the first was worked. */
  readonly reopenable: boolean;
  /** Epoch milliseconds, of the provider's clock. */
  readonly signedAt: number | undefined;
  readonly grade: 'signed' | 'signed-partial' | 'shared-secret' | 'path-secret';
  readonly secretId: string;
  readonly bodyHash: Buffer;
  /** Redacted; undefined where it names somebody of whom there is no notice. */
  readonly rawBody: Buffer | undefined;
  readonly notices: readonly NewNotice[];
}

export interface NewNotice extends Notice {
  /** Under every key of the ring: how a tombstone would name this subject. */
  readonly subjectHashes: readonly Buffer[];
}

/** `unknown`: nobody that we hold, or somebody erased; then nothing was written. */
export type Acceptance = 'new' | 'duplicate' | 'unknown';

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
    const { rows } = await sql.query<{ i: number; fresh: boolean }>({ name: 'ingest/accept-deliveries', text, values: parameters(sent) });
    const known = new Array<boolean>(sent.length).fill(false);
    const repeats: Sent[] = [];
    for (const { i, fresh } of rows) {
      known[i] = true;
      const one = sent[i] as Sent;
      results[one.at] = fresh ? 'new' : 'duplicate';
      if (!fresh && one.delivery.reopenable) repeats.push(one);
    }
    if (repeats.length > 0) {
      const { length } = repeats;
      const opened = await reopenDeliveries(
        sql,
        repeats.map(({ key, delivery: { tenantId, environment } }) => ({ key, tenantId, environment })),
      );
      for (let n = 0; n < length; n += 1) if (opened[n]) results[(repeats[n] as Sent).at] = 'new';
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

interface Sent {
  readonly key: Buffer;
  readonly at: number;
  readonly delivery: NewDelivery;
}

/** What the statement is given, a list for each column: those of deliveries first. */
function parameters(sent: readonly Sent[]): Buffer[] {
  const notices: { i: number; ordinal: number; one: Sent; notice: NewNotice; window: ReturnType<typeof windowColumns> }[] = [];
  const hashes: { n: number; hash: Buffer }[] = [];
  sent.forEach((one, i) => {
    one.delivery.notices.forEach((notice, ordinal) => {
      notices.push({ i, ordinal, one, notice, window: windowColumns(notice.window) });
      for (const hash of notice.subjectHashes) hashes.push({ n: notices.length, hash });
    });
  });
  const d = <T extends PgArrayType>(type: T, of: (one: Sent, i: number) => Parameters<typeof pgArray<T>>[1][number]) =>
    pgArray(type, sent.map(of));
  const n = <T extends PgArrayType>(type: T, of: (one: (typeof notices)[number]) => Parameters<typeof pgArray<T>>[1][number]) =>
    pgArray(type, notices.map(of));
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
    n('int4', ({ i }) => i),
    n('int4', ({ ordinal }) => ordinal),
    n('uuid', ({ one }) => one.key),
    n('text', ({ one }) => one.delivery.tenantId),
    n('text', ({ one }) => one.delivery.environment),
    n('text', ({ one }) => one.delivery.providerAppId),
    n('text', ({ notice }) => notice.subjectId),
    n('text', ({ notice }) => notice.collection),
    n('text', ({ notice }) => notice.kind),
    n('text', ({ window }) => window.windowKind),
    n('text', ({ window }) => window.windowStart),
    n('text', ({ window }) => window.windowEnd),
    n('int8', ({ notice }) => notice.version),
    n('bytea', ({ notice }) => notice.carried as Buffer | undefined),
    n('bool', ({ one }) => one.delivery.reopenable),
    pgArray(
      'int4',
      hashes.map((one) => one.n),
    ),
    pgArray(
      'bytea',
      hashes.map((one) => one.hash),
    ),
  ];
}

// \`target\` is what was found: a row for each notice and connection. Locking the connection waits for an erasure that is under way
// and then finds it gone; a tombstone alone (an erasure whose connection came back under another id) refuses as well.
// \`known.told\` counts each notice once, so a delivery of which any subject is unknown keeps no body.
// Repeats are looked for in the period before this one; those within this one meet its key. Lists are never joined to each other but
// looked up by `in`, and in `where` by `in … is true`: the planner thinks them short, since it cannot see how long an array will
// be, and would join them row by row.
const text = `
  with notice as materialized (
    select * from unnest($13::int4[], $14::int4[], $15::uuid[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
      $22::text[], $23::text[], $24::text[], $25::int8[], $26::bytea[], $27::bool[]) with ordinality as n (i, ordinal, delivery_key, tenant_id,
      environment, provider_app_id, subject_id, collection, kind, window_kind, window_start, window_end, version, carried, reopenable, n)
  ), erased as materialized (
    select h.n::bigint as n, t.tenant_id, t.environment, t.provider_app_id
    from unnest($28::int4[], $29::bytea[]) as h (n, hash)
    join subject_tombstone t on t.subject_hash = h.hash
  ), target as materialized (
    select n.*, c.id as connection_id
    from notice n
    join connection c on c.tenant_id = n.tenant_id and c.environment = n.environment and c.provider_app_id = n.provider_app_id
      and c.subject_id = n.subject_id
    where c.status in ('active', 'reauth_required')
      and (n.n, n.tenant_id, n.environment, n.provider_app_id) not in (select n, tenant_id, environment, provider_app_id from erased)
    order by c.id
    for key share of c
  ), known as materialized (
    select i, delivery_key, count(distinct ordinal)::int4 as told, count(*)::int4 as notices from target group by i, delivery_key
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
  select i, delivery_key in (select delivery_key from written) as fresh from known`;
