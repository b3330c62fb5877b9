import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventSchemas } from '@tributary/handoffs';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededConnection, type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('reading records', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let user: SeededUser;
  let connection: SeededConnection;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    user = await api.seed.user(scope);
    connection = await api.seed.connection(await api.seed.app(scope), user);
    ({ key } = await api.key(scope));
    for (const day of [25, 26, 27, 28, 29]) {
      for (const [metric, value, unit] of [
        ['steps', day * 100, '{steps}'],
        ['active_energy', day + 0.5, 'kcal'],
      ] as const) {
        await insert('daily_rollup', { metric, value, unit, local_date: `2026-11-${day}`, deleted: day === 27 });
      }
    }
    await insert('daily_rollup', {
      metric: 'steps',
      value: 1,
      unit: '{steps}',
      local_date: '2026-11-29',
      source_id: 'src_watch',
      source: '{"id":"src_watch","type":"watch","manufacturer":"Acme"}',
    });
    for (const [record, day] of [
      ['night-1', 28],
      ['night-2', 29],
      ['night-3', 29],
    ] as const) {
      await insert('session_record', {
        kind: 'sleep',
        record_id: record,
        local_date: `2026-11-${day}`,
        started_at: `2026-11-${day - 1}T22:00:00Z`,
        ended_at: `2026-11-${day}T06:00:00Z`,
        end_utc_offset_s: 3_600,
        deleted: record === 'night-3',
        detail: JSON.stringify({ ...detail, unknownToCustomers: 1 }),
      });
    }
  });
  afterAll(() => api.stop());

  const detail = {
    isMain: true,
    isNap: false,
    inBedS: 28_800,
    asleepS: 25_000,
    awakeS: 3_800,
    lightS: 14_000,
    deepS: 5_000,
    remS: 6_000,
    latencyS: 600,
    efficiencyPct: 86.8,
    hrAvg: 52,
    hrMin: 45,
    hrvRmssd: 60,
    respiratoryRate: null,
    stages: [{ start: '2026-11-28T22:00:00.000Z', end: '2026-11-28T22:05:00.000Z', stage: 'awake' }],
  };
  const insert = (table: string, row: Record<string, unknown>) => {
    const full: Record<string, unknown> = {
      tenant_id: scope.tenantId,
      environment: scope.environment,
      user_id: user.id,
      provider: 'oura',
      connection_id: connection.id,
      provider_record_id: 'doc',
      source_id: 'src_oura_ring',
      source: '{"id":"src_oura_ring","type":"ring","manufacturer":"Oura","model":null}',
      date_basis: 'provider_date',
      day_model: 'civil_0400',
      utc_offset_s: 3_600,
      provisional: false,
      version: 1_795_938_764_123_456,
      inferred: true,
      revision: 7,
      content_hash: Buffer.from('c'),
      ...row,
    };
    const names = Object.keys(full);
    return api.db.pool.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`,
      Object.values(full),
    );
  };
  const daily = (query = '') => api.call('GET', `/v1/users/${user.id}/daily${query}`, { key });

  it('a value is shown as its event showed it', async () => {
    const { body } = await daily('?metric=steps&from=2026-11-28&to=2026-11-28');
    expect(body).toEqual({
      data: [
        {
          connectionId: connection.id,
          provider: 'oura',
          metric: 'steps',
          kind: 'daily_total',
          localDate: '2026-11-28',
          dateBasis: 'provider_date',
          dayModel: 'civil_0400',
          utcOffsetS: 3_600,
          source: { id: 'src_oura_ring', type: 'ring', manufacturer: 'Oura', model: null },
          revision: 7,
          version: '2026-11-29T07:52:44.123456Z',
          inferred: true,
          provisional: false,
          record: { value: 2_800, unit: '{steps}', statistic: 'sum', implausible: false },
        },
      ],
      nextCursor: null,
    });
    expect(eventSchemas['daily.updated'].omit({ user: true, change: true }).strict().parse(body.data[0])).toEqual(body.data[0]);
  });

  it('deleted values are left out, and every filter narrows', async () => {
    const days = async (query: string) =>
      (await daily(query)).body.data.map((row: { localDate: string; metric: string }) => `${row.localDate.slice(8)} ${row.metric}`);
    expect(await days('?metric=steps')).toEqual(['25 steps', '26 steps', '28 steps', '29 steps', '29 steps']);
    expect(await days('?from=2026-11-28&metric=active_energy')).toEqual(['28 active_energy', '29 active_energy']);
    expect(await days('?sourceId=src_watch')).toEqual(['29 steps']);
    expect(await days('?provider=garmin')).toEqual([]);
  });

  it('pages meet without a gap or a repeat', async () => {
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await daily(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.data);
      cursor = body.nextCursor;
    }
    expect(seen).toEqual((await daily()).body.data);
    expect(seen).toHaveLength(9);
  });

  it('nights are shown by the day of waking, with nothing that customers are not shown', async () => {
    const { body } = await api.call('GET', `/v1/users/${user.id}/sleep?from=2026-11-29`, { key });
    expect(body.data).toEqual([
      expect.objectContaining({
        recordId: 'night-2',
        localDate: '2026-11-29',
        window: { start: '2026-11-28T22:00:00.000Z', end: '2026-11-29T06:00:00.000Z' },
        endUtcOffsetS: 3_600,
        record: detail,
      }),
    ]);
    expect(eventSchemas['sleep.updated'].omit({ user: true, change: true, previousLocalDate: true }).strict().parse(body.data[0])).toEqual(
      body.data[0],
    );
    const first = (await api.call('GET', `/v1/users/${user.id}/sleep?limit=1`, { key })).body;
    const second = (await api.call('GET', `/v1/users/${user.id}/sleep?limit=1&cursor=${first.nextCursor}`, { key })).body;
    expect([first.data[0].recordId, second.data[0].recordId, second.nextCursor]).toEqual(['night-1', 'night-2', null]);
  });

  describe('workouts, measurements and series', () => {
    const list = (kind: string, query = '') => api.call('GET', `/v1/users/${user.id}/${kind}${query}`, { key });
    const workoutDetail = {
      sport: 'running',
      subSport: 'trail',
      environment: null,
      providerSport: 'TrailRun',
      elapsedS: 3_334,
      activeS: 3_180,
      distanceM: 9_120.4,
      elevationGainM: 214,
      activeEnergyKcal: 640,
      totalEnergyKcal: null,
      workKj: null,
      hrAvg: 148,
      hrMax: 171,
      hrZonesS: [100, 200],
      powerAvgW: null,
      cadenceAvg: null,
      steps: null,
      manual: false,
      hasRoute: true,
      hasStreams: false,
    };
    beforeAll(async () => {
      // One id at two providers: a page must not end between them for good.
      for (const provider of ['polar', 'strava']) {
        await insert('session_record', {
          kind: 'workout',
          provider,
          record_id: '77',
          local_date: '2026-11-28',
          started_at: '2026-11-28T09:00:00Z',
          ended_at: provider === 'polar' ? '2026-11-28T09:00:30Z' : '2026-11-28T09:55:34Z',
          end_utc_offset_s: null,
          detail: JSON.stringify({ ...workoutDetail, unknownToCustomers: 1 }),
        });
      }
      await insert('session_record', {
        kind: 'workout',
        record_id: 'gone',
        local_date: '2026-11-28',
        started_at: '2026-11-28T09:00:00Z',
        ended_at: '2026-11-28T09:30:00Z',
        detail: '{}',
        deleted: true,
      });
      const marks = { implausible: false, manual: true, ambiguous: false, undated: false };
      for (const day of [27, 28, 29]) {
        await insert('measurement_record', {
          metric: 'body_weight',
          record_id: `w${day}`,
          local_date: `2026-11-${day}`,
          measured_at: `2026-11-${day}T06:30:00Z`,
          value: day + 0.5,
          unit: 'kg',
          deleted: day === 28,
          ...marks,
        });
      }
      await insert('measurement_record', {
        metric: 'blood_pressure',
        record_id: 'p29',
        local_date: '2026-11-29',
        measured_at: '2026-11-29T06:31:05Z',
        parts: '{"systolic":124,"diastolic":79,"pulse":null}',
        unit: 'mm[Hg]',
        ...marks,
      });
      for (const [item, workoutId, day] of [
        ['2026-11-28', null, 28],
        ['2026-11-29', null, 29],
        ['77', '77', 28],
      ] as const) {
        await insert('series_day', {
          metric: 'heart_rate',
          item,
          workout_id: workoutId,
          local_date: `2026-11-${day}`,
          samples_from: `2026-11-${day}T00:00:00Z`,
          offsets_s: [0, 60, 61],
          sample_values: [60, 61.5, day],
          interval_s: null,
          unit: '/min',
          implausible: false,
        });
      }
    });

    it('workouts are shown as their events showed them, with what is too short to be one marked', async () => {
      const { body } = await list('workouts');
      expect(body.data.map((row: { provider: string; record: unknown }) => [row.provider, row.record])).toEqual([
        ['polar', { ...workoutDetail, implausible: true }],
        ['strava', { ...workoutDetail, implausible: false }],
      ]);
      for (const row of body.data) {
        expect(eventSchemas['workout.updated'].omit({ user: true, change: true, previousLocalDate: true }).strict().parse(row)).toEqual(
          row,
        );
      }
      const first = (await list('workouts', '?limit=1')).body;
      const second = (await list('workouts', `?limit=1&cursor=${first.nextCursor}`)).body;
      expect([first.data[0].provider, second.data[0].provider, second.nextCursor]).toEqual(['polar', 'strava', null]);
    });

    it('measurements are shown as their events showed them, and every filter narrows', async () => {
      const { body } = await list('measurements');
      expect(body.data.map((row: { recordId: string; record: unknown }) => [row.recordId, row.record])).toEqual([
        ['w27', { value: 27.5, parts: null, unit: 'kg', manual: true, ambiguous: false, undated: false, implausible: false }],
        [
          'p29',
          {
            value: null,
            parts: { systolic: 124, diastolic: 79, pulse: null },
            unit: 'mm[Hg]',
            manual: true,
            ambiguous: false,
            undated: false,
            implausible: false,
          },
        ],
        ['w29', expect.objectContaining({ value: 29.5 })],
      ]);
      for (const row of body.data) {
        const shape = eventSchemas['measurement.updated'].omit({ user: true, change: true, previousLocalDate: true });
        expect(shape.strict().parse(row)).toEqual(row);
      }
      const ids = async (query: string) => (await list('measurements', query)).body.data.map((row: { recordId: string }) => row.recordId);
      expect(await ids('?metric=blood_pressure')).toEqual(['p29']);
      expect(await ids('?to=2026-11-28')).toEqual(['w27']);
      const first = (await list('measurements', '?limit=2')).body;
      expect(await ids(`?limit=2&cursor=${first.nextCursor}`)).toEqual(['w29']);
    });

    it('series are shown whole, with all that their events only count', async () => {
      const { body } = await list('series', '?from=2026-11-29');
      expect(body).toEqual({
        data: [
          {
            connectionId: connection.id,
            provider: 'oura',
            metric: 'heart_rate',
            kind: 'series',
            workoutId: null,
            localDate: '2026-11-29',
            dateBasis: 'provider_date',
            dayModel: 'civil_0400',
            utcOffsetS: 3_600,
            source: { id: 'src_oura_ring', type: 'ring', manufacturer: 'Oura', model: null },
            revision: 7,
            version: '2026-11-29T07:52:44.123456Z',
            inferred: true,
            provisional: false,
            sampleCount: 3,
            record: {
              unit: '/min',
              from: '2026-11-29T00:00:00.000Z',
              offsetsS: [0, 60, 61],
              values: [60, 61.5, 29],
              intervalS: null,
              implausible: false,
            },
          },
        ],
        nextCursor: null,
      });
      const workouts = async (query: string) =>
        (await list('series', query)).body.data.map((row: { workoutId: string | null }) => row.workoutId);
      expect(await workouts('')).toEqual([null, '77', null]);
      expect(await workouts('?workoutId=77')).toEqual(['77']);
    });

    it('questions that make no sense are refused by field, a cursor of another list too', async () => {
      const { nextCursor } = (await list('series', '?limit=1')).body;
      for (const [kind, query, path] of [
        ['measurements', '?metric=steps', 'metric'],
        ['series', '?metric=body_weight', 'metric'],
        ['series', '?limit=32', 'limit'],
        ['workouts', '?metric=workout', 'metric'],
        ['workouts', '?from=2026-11-29&to=2026-11-28', 'to'],
      ] as const) {
        const { status, body } = await list(kind, query);
        expect([kind, query, status, body.faults?.[0]?.path]).toEqual([kind, query, 422, path]);
      }
      expect((await list('measurements', `?cursor=${nextCursor}`)).status).toBe(400);
    });

    it('of a user of another tenant there is nothing to see', async () => {
      const other = await api.key(await api.seed.environment());
      for (const kind of ['workouts', 'measurements', 'series']) {
        expect((await api.call('GET', `/v1/users/${user.id}/${kind}`, { key: other.key })).status).toBe(404);
      }
    });
  });

  it('questions that make no sense are refused by field', async () => {
    for (const [query, path] of [
      ['?from=2026-13-01', 'from'],
      ['?from=2026-11-29&to=2026-11-28', 'to'],
      ['?metric=mood', 'metric'],
      ['?day=2026-11-29', 'day'],
      ['?limit=many', 'limit'],
    ] as const) {
      const { status, body } = await daily(query);
      expect([query, status, body.faults?.[0]?.path]).toEqual([query, 422, path]);
    }
  });
});
