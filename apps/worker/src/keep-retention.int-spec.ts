import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, createLog, newId } from '@tributary/service-shell';
import { inTransaction, tryRetentionLock } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededConnection, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { KeepRetention, spansOf } from './keep-retention.js';

const DAY_MS = 86_400_000;

describe('what an environment keeps no longer', () => {
  let db: TestDatabase;
  let seed: Seed;
  let scope: SeededEnvironment;
  let connection: SeededConnection;
  let keep: KeepRetention;

  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  });
  afterAll(() => db.drop());

  async function begin(settings: Record<string, number | null> = {}): Promise<void> {
    // Each test alone: a visit goes through every environment.
    await db.pool.query('update environment set record_days = null, event_days = 400, body_days = 27');
    scope = await seed.environment();
    connection = await seed.connection(await seed.app(scope), await seed.user(scope));
    const names = Object.keys(settings);
    const values: unknown[] = [scope.tenantId, ...Object.values(settings)];
    if (names.length > 0) {
      await db.pool.query(`update environment set ${names.map((name, n) => `${name} = $${n + 2}`).join()} where tenant_id = $1`, values);
    }
    keep = new KeepRetention({ pool: db.pool, log: createLog('worker', 'silent'), clock: Date.now });
  }

  const insert = (table: string, row: Record<string, unknown>) => {
    const full: Record<string, unknown> = { tenant_id: scope.tenantId, environment: scope.environment, ...row };
    const names = Object.keys(full);
    return db.pool.query(`insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`, Object.values(full));
  };
  const rows = async <T>(text: string): Promise<T[]> => (await db.pool.query(text, [scope.tenantId])).rows as T[];
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

  async function event(revision: number, days: number, state?: string): Promise<void> {
    const id = newId('evt');
    await insert('event', {
      id,
      type: 'user.erased',
      revision,
      occurred_at: ago(days),
      data: Buffer.from('{"user":{"externalId":"person"}}'),
    });
    if (state === undefined) return;
    await insert('event_delivery', { event_id: id, endpoint_id: 'ep', state, next_attempt_at: new Date(Date.now() + 60_000) });
    await insert('delivery_attempt', { event_id: id, endpoint_id: 'ep', n: 1, started_at: ago(days), duration_ms: 1, outcome: 'timeout' });
  }

  it('events go with their deliveries and attempts, what a disabled endpoint never got too, and readers of changes are told', async () => {
    await begin({ event_days: 7 });
    await event(1, 20, 'pending');
    await event(2, 9, 'delivered');
    await event(3, 8, 'sending');
    await event(4, 6, 'pending');
    expect(await keep.visit()).toEqual({ bodies: 0, events: 2, records: 0 });
    expect(await rows('select revision::int from event where tenant_id = $1 order by 1')).toEqual([{ revision: 3 }, { revision: 4 }]);
    for (const table of ['event_delivery', 'delivery_attempt']) {
      expect(
        await rows(`select e.revision::int from ${table} d left join event e on e.id = d.event_id where d.tenant_id = $1 order by 1`),
      ).toEqual([{ revision: 3 }, { revision: 4 }]);
    }
    expect(await rows('select changes_floor::int from environment where tenant_id = $1')).toEqual([{ changes_floor: 2 }]);
    // The lease of the one that was being sent has ended.
    await db.pool.query(
      `update event_delivery set next_attempt_at = now() - interval '1 minute' where tenant_id = $1 and state = 'sending'`,
      [scope.tenantId],
    );
    expect((await keep.visit()).events).toBe(1);
    expect((await keep.visit()).events).toBe(0);
    expect(await rows('select changes_floor::int from environment where tenant_id = $1')).toEqual([{ changes_floor: 3 }]);
  });

  it('of thirty days, events stay until their attempts went with their partitions; what is left of those goes with them', async () => {
    await begin({ event_days: 30 });
    await event(1, 33, 'delivered');
    await event(2, 31, 'delivered');
    // A replay of yesterday: with its event gone, no erasure would find it.
    await db.pool.query(
      `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome)
       select tenant_id, environment, event_id, endpoint_id, 2, now() - interval '1 day', 1, 'timeout' from delivery_attempt where tenant_id = $1`,
      [scope.tenantId],
    );
    expect((await keep.visit()).events).toBe(1);
    expect(await rows('select revision::int from event where tenant_id = $1')).toEqual([{ revision: 2 }]);
    expect(
      await rows(
        'select a.n, e.revision::int from delivery_attempt a left join event e on e.id = a.event_id where a.tenant_id = $1 order by 1',
      ),
    ).toEqual([
      { n: 1, revision: 2 },
      { n: 2, revision: 2 },
    ]);
  });

  it('goes through more than one slice', async () => {
    await begin({ event_days: 7 });
    await db.pool.query(
      `insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
       select $1, $2, 'evt_' || n, 'daily.updated', n, now() - interval '8 days', '' from generate_series(1, 1200) n`,
      [scope.tenantId, scope.environment],
    );
    expect((await keep.visit()).events).toBe(1_200);
    expect(await rows('select from event where tenant_id = $1')).toEqual([]);
  });

  it('bodies go, and their deliveries stay: a repeat is still known', async () => {
    await begin({ body_days: 2 });
    await db.pool.query(`update environment set bodies_cleared_to = now() - interval '20 days' where tenant_id = $1`, [scope.tenantId]);
    for (const days of [19, 3, 1]) {
      const key = randomUUID();
      await insert('webhook_delivery', {
        delivery_key: key,
        delivery_id: `${days}`,
        provider_app_id: connection.providerAppId,
        received_at: ago(days),
        grade: 'signed',
        secret_id: 's',
        body_hash: Buffer.from('h'),
        raw_body: Buffer.from('{}'),
      });
    }
    expect(await keep.visit()).toEqual({ bodies: 1, events: 0, records: 0 });
    // Forty spans of six hours in one visit: the younger one is found by the next.
    expect((await keep.visit()).bodies).toBe(1);
    expect(await rows('select delivery_id, raw_body is null as cleared from webhook_delivery where tenant_id = $1 order by 1')).toEqual([
      { delivery_id: '1', cleared: false },
      { delivery_id: '19', cleared: true },
      { delivery_id: '3', cleared: true },
    ]);
    expect((await keep.visit()).bodies).toBe(0);
  });

  it('records of old days go, of everybody, and nothing else does', async () => {
    await begin({ record_days: 30 });
    for (const [days, metric] of [
      [40, 'steps'],
      [31, 'distance'],
      [29, 'steps'],
    ] as const) {
      await insert('daily_rollup', {
        user_id: connection.userId,
        provider: 'oura',
        metric,
        value: 1,
        unit: '{steps}',
        local_date: ago(days).toISOString().slice(0, 10),
        connection_id: connection.id,
        provider_record_id: 'doc',
        source_id: 'src',
        source: '{}',
        date_basis: 'provider_date',
        day_model: 'civil',
        provisional: false,
        version: 1,
        inferred: true,
        revision: days,
        content_hash: Buffer.from('c'),
      });
    }
    expect(await keep.visit()).toEqual({ bodies: 0, events: 0, records: 2 });
    expect(await rows('select revision::int from daily_rollup where tenant_id = $1')).toEqual([{ revision: 29 }]);
    // Within half a day nobody looks again.
    await db.pool.query('update daily_rollup set local_date = local_date - 60 where tenant_id = $1', [scope.tenantId]);
    expect((await keep.visit()).records).toBe(0);
  });

  it('keeps records without a setting, whatever their age', async () => {
    await begin();
    expect(await rows('select record_days, event_days::int, body_days::int from environment where tenant_id = $1')).toEqual([
      { record_days: null, event_days: 30, body_days: 7 },
    ]);
  });

  it('does nothing while another process is at it', async () => {
    await begin({ event_days: 7 });
    await event(1, 20);
    await inTransaction(db.pool, async (other) => {
      expect(await tryRetentionLock(other, scope)).toBe(true);
      expect((await keep.visit()).events).toBe(0);
    });
    expect((await keep.visit()).events).toBe(1);
  });

  it('the time whose bodies go is cut into parts that meet', () => {
    const from = new Date('2026-11-01T00:00:00Z');
    expect(spansOf({ bodiesClearedTo: from, bodiesUntil: from })).toEqual([]);
    const spans = spansOf({ bodiesClearedTo: from, bodiesUntil: new Date('2026-11-01T13:00:00Z') });
    expect(spans.map((span) => [span.from.toISOString().slice(11, 13), span.to.toISOString().slice(11, 13)])).toEqual([
      ['00', '06'],
      ['06', '12'],
      ['12', '13'],
    ]);
  });
});
