import { windowColumns } from '@tributary/domain';
import { type PgArrayType, pgArray } from '../pg-array.js';
import type { NewDelivery, NewNotice } from './new-delivery.js';

/** A delivery on its way into a statement, under its key. */
export interface SentDelivery {
  readonly key: Buffer;
  readonly delivery: NewDelivery;
}

/** The seventeen lists that {@link targetsOf} reads: a notice is known by the place of its delivery and its own in there. */
export function noticeParameters(sent: readonly SentDelivery[]): Buffer[] {
  const notices: { i: number; ordinal: number; one: SentDelivery; notice: NewNotice; window: ReturnType<typeof windowColumns> }[] = [];
  const hashes: { n: number; hash: Buffer }[] = [];
  sent.forEach((one, i) => {
    one.delivery.notices.forEach((notice, ordinal) => {
      notices.push({ i, ordinal, one, notice, window: windowColumns(notice.window) });
      for (const hash of notice.subjectHashes) hashes.push({ n: notices.length, hash });
    });
  });
  const n = <T extends PgArrayType>(type: T, of: (one: (typeof notices)[number]) => Parameters<typeof pgArray<T>>[1][number]) =>
    pgArray(type, notices.map(of));
  return [
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

/**
 * The queries `notice`, `erased` and `target`, for a statement to begin with. `target` is what was found: a row for each notice and
 * connection. Locking the connection waits for an erasure that is under way and then finds it gone; a tombstone alone (an erasure whose
 * connection came back under another id) refuses as well.
 * @param first the number of the first of the {@link noticeParameters}.
 */
export function targetsOf(first: number): string {
  const p = (place: number) => `$${first + place}`;
  return `notice as materialized (
    select * from unnest(${p(0)}::int4[], ${p(1)}::int4[], ${p(2)}::uuid[], ${p(3)}::text[], ${p(4)}::text[], ${p(5)}::text[],
      ${p(6)}::text[], ${p(7)}::text[], ${p(8)}::text[], ${p(9)}::text[], ${p(10)}::text[], ${p(11)}::text[], ${p(12)}::int8[],
      ${p(13)}::bytea[], ${p(14)}::bool[]) with ordinality as n (i, ordinal, delivery_key, tenant_id,
      environment, provider_app_id, subject_id, collection, kind, window_kind, window_start, window_end, version, carried, reopenable, n)
  ), erased as materialized (
    select h.n::bigint as n, t.tenant_id, t.environment, t.provider_app_id
    from unnest(${p(15)}::int4[], ${p(16)}::bytea[]) as h (n, hash)
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
  )`;
}
