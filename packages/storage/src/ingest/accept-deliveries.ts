import { type Notice, type Scope, windowColumns } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** A proved delivery with at least one notice. */
export interface NewDelivery extends Scope {
  readonly providerAppId: string;
  readonly deliveryId: string;
  /** Epoch milliseconds, of the provider's clock. */
  readonly signedAt: number | undefined;
  readonly grade: 'signed' | 'signed-partial' | 'shared-secret' | 'path-secret';
  readonly secretId: string;
  readonly bodyHash: Buffer;
  /** Redacted. */
  readonly rawBody: Buffer;
  readonly notices: readonly NewNotice[];
}

export interface NewNotice extends Notice {
  /** Under every key of the ring: how a tombstone would name this subject. */
  readonly subjectHashes: readonly Buffer[];
}

/** `unknown`: nobody that we hold, or somebody erased; then nothing was written. */
export type Acceptance = 'new' | 'duplicate' | 'unknown';

/**
 * Takes in many deliveries of many tenants in one statement, which is one commit. For each: finds the connections of its subjects,
 * holds them (for key share) against an erasure, leaves out whom a tombstone names, and writes the delivery and one notice for each
 * notice and connection, unless the delivery is there already. The same delivery twice in a batch is written once.
 * @returns in the order given.
 */
export async function acceptDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<Acceptance[]> {
  // Sorted by key, so that two processes with the same deliveries wait for each other and do not deadlock. The same key and bytes
  // twice are one delivery; the same key with other bytes is sent along and finds itself a duplicate.
  const order = deliveries
    .map((delivery, at) => ({ delivery, at, key: keyOf(delivery) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.at - b.at));
  const sent: NewDelivery[] = [];
  const place = new Array<number>(deliveries.length);
  const first = new Array<boolean>(deliveries.length);
  let last: { key: string; hash: Buffer } | undefined;
  for (const { delivery, at, key } of order) {
    first[at] = last === undefined || last.key !== key || !last.hash.equals(delivery.bodyHash);
    if (first[at]) sent.push(delivery);
    place[at] = sent.length - 1;
    last = { key, hash: delivery.bodyHash };
  }
  const { rows } = await sql.query<{ i: number; fresh: boolean }>({ name: 'ingest/accept-deliveries', text, values: parameters(sent) });
  const found = new Map<number, boolean>();
  for (const { i, fresh } of rows) found.set(i, fresh || found.get(i) === true);
  return deliveries.map((_, at) => {
    const fresh = found.get(place[at] as number);
    if (fresh === undefined) return 'unknown';
    return fresh && first[at] ? 'new' : 'duplicate';
  });
}

function keyOf({ tenantId, environment, providerAppId, deliveryId }: NewDelivery): string {
  return `${tenantId}\0${environment}\0${providerAppId}\0${deliveryId}`;
}

function parameters(sent: readonly NewDelivery[]): Buffer[] {
  const notices = sent.flatMap((delivery, i) =>
    delivery.notices.map((notice, ordinal) => {
      return { i, ordinal, delivery, notice, window: windowColumns(notice.window) };
    }),
  );
  const hashes = notices.flatMap(({ delivery, notice }, n) => notice.subjectHashes.map((hash) => ({ n, delivery, hash })));
  return [
    pgArray(
      'int4',
      sent.map((_, i) => i),
    ),
    pgArray(
      'text',
      sent.map((d) => d.tenantId),
    ),
    pgArray(
      'text',
      sent.map((d) => d.environment),
    ),
    pgArray(
      'text',
      sent.map((d) => d.providerAppId),
    ),
    pgArray(
      'text',
      sent.map((d) => d.deliveryId),
    ),
    pgArray(
      'float8',
      sent.map((d) => (d.signedAt === undefined ? undefined : d.signedAt / 1000)),
    ),
    pgArray(
      'text',
      sent.map((d) => d.grade),
    ),
    pgArray(
      'text',
      sent.map((d) => d.secretId),
    ),
    pgArray(
      'bytea',
      sent.map((d) => d.bodyHash),
    ),
    pgArray(
      'bytea',
      sent.map((d) => d.rawBody),
    ),
    pgArray(
      'int4',
      notices.map((n) => n.i),
    ),
    pgArray(
      'int4',
      notices.map((n) => n.ordinal),
    ),
    pgArray(
      'text',
      notices.map((n) => n.delivery.tenantId),
    ),
    pgArray(
      'text',
      notices.map((n) => n.delivery.environment),
    ),
    pgArray(
      'text',
      notices.map((n) => n.delivery.providerAppId),
    ),
    pgArray(
      'text',
      notices.map((n) => n.notice.subjectId),
    ),
    pgArray(
      'text',
      notices.map((n) => n.notice.collection),
    ),
    pgArray(
      'text',
      notices.map((n) => n.notice.kind),
    ),
    pgArray(
      'text',
      notices.map((n) => n.window.windowKind),
    ),
    pgArray(
      'text',
      notices.map((n) => n.window.windowStart),
    ),
    pgArray(
      'text',
      notices.map((n) => n.window.windowEnd),
    ),
    pgArray(
      'int8',
      notices.map((n) => n.notice.version),
    ),
    pgArray(
      'int4',
      hashes.map((h) => h.n),
    ),
    pgArray(
      'text',
      hashes.map((h) => h.delivery.tenantId),
    ),
    pgArray(
      'text',
      hashes.map((h) => h.delivery.environment),
    ),
    pgArray(
      'text',
      hashes.map((h) => h.delivery.providerAppId),
    ),
    pgArray(
      'bytea',
      hashes.map((h) => h.hash),
    ),
    pgArray(
      'int4',
      sent.map((d) => d.notices.length),
    ),
    pgArray(
      'text',
      notices.map((n) => n.delivery.deliveryId),
    ),
  ];
}

// `target` is what was found: a row for each notice and connection. Locking the connection waits for an erasure that is under way
// and then finds it gone; a tombstone alone (an erasure whose connection came back under another id) refuses as well.
// `known.told` counts each notice once, so a delivery of which any subject is unknown keeps no body. `is true` keeps the planner from
// joining two lists row by row: it thinks them short, since it cannot see how long an array will be.
const text = `
  with delivery as materialized (
    select * from unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::text[], $8::text[], $9::bytea[],
      $10::bytea[], $28::int4[]) as d (i, tenant_id, environment, provider_app_id, delivery_id, signed_at, grade, secret_id, body_hash,
      raw_body, notices)
  ), notice as materialized (
    select * from unnest($11::int4[], $12::int4[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
      $19::text[], $20::text[], $21::text[], $22::int8[], $29::text[]) with ordinality as n (i, ordinal, tenant_id, environment,
      provider_app_id, subject_id, collection, kind, window_kind, window_start, window_end, version, delivery_id, n)
  ), erased as materialized (
    select h.n + 1 as n
    from unnest($23::int4[], $24::text[], $25::text[], $26::text[], $27::bytea[]) as h (n, tenant_id, environment, provider_app_id, hash)
    join subject_tombstone t on t.tenant_id = h.tenant_id and t.environment = h.environment
      and t.provider_app_id = h.provider_app_id and t.subject_hash = h.hash
  ), target as materialized (
    select n.*, c.id as connection_id
    from notice n
    join connection c on c.tenant_id = n.tenant_id and c.environment = n.environment and c.provider_app_id = n.provider_app_id
      and c.subject_id = n.subject_id
    where c.status in ('active', 'reauth_required') and n.n not in (select n from erased)
    order by c.id collate "C"
    for key share of c
  ), known as materialized (
    select i, count(distinct ordinal) as told from target group by i
  ), written as (
    insert into webhook_delivery as w (tenant_id, environment, provider_app_id, delivery_id, signed_at, grade, secret_id, body_hash, raw_body)
    select d.tenant_id, d.environment, d.provider_app_id, d.delivery_id, to_timestamp(d.signed_at), d.grade, d.secret_id, d.body_hash,
      case when k.told = d.notices then d.raw_body end
    from delivery d join known k on k.i = d.i
    order by d.i
    on conflict do nothing
    returning tenant_id, environment, provider_app_id, delivery_id, body_hash
  ), fresh as materialized (
    select d.i
    from delivery d
    join written w on w.tenant_id = d.tenant_id and w.environment = d.environment and w.provider_app_id = d.provider_app_id
      and w.delivery_id = d.delivery_id and w.body_hash = d.body_hash
  ), told as (
    insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_id, ordinal, connection_id, collection, kind,
      window_kind, window_start, window_end, version)
    select t.tenant_id, t.environment, t.provider_app_id, t.delivery_id, t.ordinal, t.connection_id, t.collection, t.kind,
      t.window_kind, t.window_start, t.window_end, t.version
    from target t
    where (t.i in (select i from fresh)) is true
    on conflict do nothing
  )
  select i, false as fresh from known union all select i, true from fresh`;
