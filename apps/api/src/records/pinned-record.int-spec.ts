import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { linksOf } from '@tributary/handoffs';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededConnection, type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

type Linked = Parameters<typeof linksOf>[0];

describe('a record at the revision of an event', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let user: SeededUser;
  let connection: SeededConnection;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    user = await api.seed.user(scope);
    connection = await api.seed.connection(await api.seed.app(scope), user);
    ({ key } = await api.key(scope));
  });

  async function insert(table: string, columns: Record<string, unknown>): Promise<void> {
    const row: Record<string, unknown> = {
      tenant_id: scope.tenantId,
      environment: scope.environment,
      user_id: user.id,
      provider: 'oura',
      connection_id: connection.id,
      provider_record_id: 'doc',
      source_id: 'src_ring',
      source: '{"id":"src_ring","type":"ring","manufacturer":"Oura","model":"Gen 3"}',
      date_basis: 'provider_date',
      day_model: 'civil',
      utc_offset_s: 3_600,
      provisional: false,
      version: 1_789_000_000_000_000,
      inferred: false,
      revision: 7,
      content_hash: Buffer.from('hash'),
      ...columns,
    };
    const names = Object.keys(row);
    await api.db.pool.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`,
      Object.values(row),
    );
  }

  const event = (more: Partial<Linked>): Linked => ({
    user: { id: user.id },
    provider: 'oura',
    metric: 'steps',
    kind: 'daily_total',
    localDate: '2026-11-28',
    source: { id: 'src_ring' },
    revision: 7,
    ...more,
  });
  const get = (path: string, who = key) => api.call('GET', path, { key: who });
  const daily = () =>
    insert('daily_rollup', { metric: 'steps', value: 8_431.5, unit: '{steps}', local_date: '2026-11-28', implausible: false });
  const weight = (id: string) =>
    insert('measurement_record', {
      metric: 'body_weight',
      record_id: id,
      local_date: '2026-11-28',
      measured_at: '2026-11-28T06:00:00Z',
      value: 71.2,
      unit: 'kg',
      implausible: false,
      manual: false,
      ambiguous: false,
      undated: false,
    });
  const series = (item: string, workout: string | null) =>
    insert('series_day', {
      metric: 'heart_rate',
      item,
      workout_id: workout,
      local_date: '2026-11-28',
      samples_from: '2026-11-28T06:00:00Z',
      offsets_s: [0, 60],
      sample_values: [60, 61],
      unit: '/min',
      implausible: false,
    });

  it('both links of an event read it while it is the newest: of a day, of an id with any letters, of a workout', async () => {
    await daily();
    await weight('m/1 ü&=%');
    await series('2026-11-28', null);
    await series('ride-1', 'ride-1');
    for (const [data, expected] of [
      [event({}), { metric: 'steps', revision: 7, record: { value: 8_431.5 } }],
      [event({ metric: 'body_weight', kind: 'measurement', recordId: 'm/1 ü&=%' }), { recordId: 'm/1 ü&=%', record: { value: 71.2 } }],
      [event({ metric: 'heart_rate', kind: 'series', workoutId: null }), { workoutId: null, record: { values: [60, 61] } }],
      [event({ metric: 'heart_rate', kind: 'series', workoutId: 'ride-1' }), { workoutId: 'ride-1', sampleCount: 2 }],
    ] as const) {
      const { self, latest } = linksOf(data);
      const pinned = await get(self);
      expect([self, pinned.status, pinned.body]).toMatchObject([self, 200, expected]);
      expect((await get(latest)).body).toEqual(pinned.body);
    }
  });

  it('says that it was replaced and by which revision, and latest has that one', async () => {
    await daily();
    await api.db.pool.query('update daily_rollup set value = 9000, revision = 12 where user_id = $1', [user.id]);
    const { self, latest } = linksOf(event({}));
    const { status, body } = await get(self);
    expect([status, body.code, body.detail]).toEqual([410, 'record_replaced', expect.stringContaining('revision 12')]);
    expect(JSON.stringify(body)).not.toContain('9000');
    expect((await get(latest)).body).toMatchObject({ revision: 12, record: { value: 9_000 } });
  });

  it('says that it was deleted; a revision that never was and a record that never was are not found', async () => {
    await daily();
    expect((await get(linksOf(event({ revision: 8 })).self)).status).toBe(404);
    await api.db.pool.query('update daily_rollup set deleted = true, revision = 9 where user_id = $1', [user.id]);
    const gone = await get(linksOf(event({})).self);
    expect([gone.status, gone.body.code, gone.body.detail]).toEqual([410, 'record_deleted', expect.stringContaining('revision 9')]);
    expect((await get(linksOf(event({ localDate: '2026-11-27' })).self)).body.code).toBe('not_found');
    await api.db.pool.query('delete from daily_rollup where user_id = $1', [user.id]);
    expect((await get(linksOf(event({})).self)).body.code).toBe('not_found');
  });

  it('of the resolved view by its own revision, as its list shows it', async () => {
    await daily();
    await api.db.pool.query(
      `insert into resolved_record (tenant_id, environment, user_id, kind, metric, local_date, item, picked_provider, picked_source_id,
         resolution, revision, basis, content_hash, change)
       values ($1, $2, $3, 'daily', 'steps', '2026-11-28', '', 'oura', 'src_ring', $4, 11, 10, $5, 'created')`,
      [
        scope.tenantId,
        scope.environment,
        user.id,
        JSON.stringify({
          picked: { provider: 'oura', sourceId: 'src_ring', recordId: null },
          rule: 'priority',
          candidates: [],
          challenger: null,
          resolverVersion: 1,
        }),
        Buffer.from('h'),
      ],
    );
    const { self, latest } = linksOf(event({ view: 'resolved', revision: 11 }));
    const { status, body } = await get(self);
    expect([status, body]).toMatchObject([200, { revision: 11, record: { value: 8_431.5 }, resolution: { rule: 'priority' } }]);
    expect((await get(latest)).body.data).toEqual([body]);
    await api.db.pool.query('update resolved_record set revision = 14 where user_id = $1', [user.id]);
    expect((await get(self)).body.code).toBe('record_replaced');
    await api.db.pool.query('update resolved_record set deleted = true, revision = 15 where user_id = $1', [user.id]);
    expect((await get(self)).body.code).toBe('record_deleted');
  });

  it("is nobody else's to read, and no key is guessed", async () => {
    await daily();
    const stranger = await api.key(await api.seed.environment());
    const live = await api.key(await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' }));
    const { self } = linksOf(event({}));
    for (const who of [stranger.key, live.key]) expect((await get(self, who)).status).toBe(404);
    for (const [path, fault] of [
      [self.replace('&localDate=2026-11-28', ''), 'localDate'],
      [self.replace('&revision=7', ''), 'revision'],
      [`${self.replace('metric=steps', 'metric=mood')}`, 'metric'],
      [`${self}&view=both`, 'view'],
      [`${self.replace('&metric=steps', '')}&view=resolved`, 'metric'],
    ] as const) {
      const reply = await get(path);
      expect([path, reply.status, reply.body.faults?.[0]?.path]).toEqual([path, 422, fault]);
    }
  });
});
