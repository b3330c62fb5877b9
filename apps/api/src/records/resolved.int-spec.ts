import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededConnection, type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const DAY = '2026-11-28';

describe('the resolved view over HTTP', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let user: SeededUser;
  let connection: SeededConnection;
  let key: string;
  let revision = 100;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    user = await api.seed.user(scope);
    connection = await api.seed.connection(await api.seed.app(scope), user);
    ({ key } = await api.key(scope));
  });
  afterAll(() => api.stop());

  const insert = async (table: string, row: Record<string, unknown>): Promise<void> => {
    const own = { tenant_id: scope.tenantId, environment: scope.environment, user_id: user.id };
    const names = Object.keys({ ...own, ...row });
    await api.db.pool.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`,
      Object.values({ ...own, ...row }),
    );
  };
  const source = (table: string, provider: string, row: Record<string, unknown>) =>
    insert(table, {
      provider,
      connection_id: connection.id,
      provider_record_id: 'doc',
      source_id: `src_${provider}`,
      source: JSON.stringify({ id: `src_${provider}`, type: 'watch', manufacturer: null, model: null }),
      local_date: DAY,
      date_basis: 'provider_date',
      day_model: 'civil',
      utc_offset_s: 0,
      provisional: false,
      version: 1_795_938_764_123_456,
      inferred: true,
      revision: 7,
      content_hash: Buffer.from('c'),
      ...row,
    });
  const ref = (provider: string, recordId: string | null = null) => ({ provider, sourceId: `src_${provider}`, recordId });
  const resolved = (kind: string, metric: string, provider: string, row: Record<string, unknown> = {}) => {
    revision += 1;
    const recordId = (row['picked_record_id'] as string | undefined) ?? null;
    return insert('resolved_record', {
      kind,
      metric,
      local_date: DAY,
      item: '',
      picked_provider: provider,
      picked_source_id: `src_${provider}`,
      resolution: JSON.stringify({
        picked: ref(provider, recordId),
        rule: 'priority',
        candidates: [{ ...ref(provider, recordId), skipped: null, echoOf: null }],
        challenger: null,
        resolverVersion: 1,
      }),
      revision,
      basis: 1,
      content_hash: Buffer.from('c'),
      change: 'created',
      ...row,
    });
  };
  const get = (path: string) => api.call('GET', `/v1/users/${user.id}/${path}`, { key });

  it('shows one value of a day, with the revision of the view and how it was picked', async () => {
    await source('daily_rollup', 'garmin', { metric: 'steps', value: 14_079, unit: '{steps}' });
    await source('daily_rollup', 'google', { metric: 'steps', value: 4_157, unit: '{steps}' });
    await resolved('daily', 'steps', 'garmin');
    const sources = await get('daily?metric=steps');
    expect(sources.body.data.map((row: { provider: string; resolution?: unknown }) => [row.provider, row.resolution])).toEqual([
      ['garmin', undefined],
      ['google', undefined],
    ]);
    const { body } = await get('daily?metric=steps&view=resolved');
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      provider: 'garmin',
      connectionId: connection.id,
      revision,
      record: { value: 14_079, unit: '{steps}', statistic: 'sum' },
      resolution: { picked: ref('garmin'), rule: 'priority', candidates: [{ ...ref('garmin'), skipped: null, echoOf: null }] },
    });
    const { resolution: _, revision: own, ...shown } = body.data[0];
    const { revision: theirs, ...same } = sources.body.data[0];
    expect(shown).toEqual(same);
    expect([own, theirs]).toEqual([revision, 7]);
    expect((await get('daily?view=resolved&provider=google')).body.data).toEqual([]);
    expect((await get('daily?view=everything')).status).toBe(422);
  });

  it('shows a total that was computed as a value of its own, with whose quarters of an hour it is made of, as long as all are there', async () => {
    const day = { local_date: '2026-11-27' };
    const phone = { source_id: 'src_phone', source: JSON.stringify({ id: 'src_phone', type: 'phone', manufacturer: null, model: null }) };
    const samples = { metric: 'steps_intraday', item: day.local_date, samples_from: '2026-11-27T06:00:00Z', unit: '{steps}', ...day };
    const counted = { ...samples, interval_s: 900, implausible: false };
    await source('daily_rollup', 'withings', { metric: 'steps', value: 500, unit: '{steps}', ...day });
    await source('daily_rollup', 'withings', { metric: 'steps', value: 62_000, unit: '{steps}', implausible: true, ...phone, ...day });
    await source('series_day', 'withings', { ...counted, offsets_s: [0], sample_values: [500] });
    await source('series_day', 'withings', { ...counted, offsets_s: [0, 900], sample_values: [480, 61_500], ...phone });
    const quarters = [
      { ...ref('withings'), count: 1 },
      { ...ref('withings'), sourceId: 'src_phone', count: 1 },
    ];
    const stored = { picked: ref('withings'), rule: 'intraday', derivation: 'computed', quarters, candidates: [], challenger: null };
    await resolved('daily', 'steps', 'withings', {
      ...day,
      resolution: JSON.stringify({ ...stored, resolverVersion: 2 }),
      computed_value: 62_000,
    });
    const path = `daily?view=resolved&to=${day.local_date}`;
    expect((await get(path)).body.data).toMatchObject([
      {
        provider: 'withings',
        source: { id: 'src_withings' },
        revision,
        // The row that was picked is plausible; the sum is not.
        record: { value: 62_000, unit: '{steps}', statistic: 'sum', implausible: true },
        resolution: { rule: 'intraday', derivation: 'computed', quarters },
      },
    ]);
    const plain = await get('daily?view=resolved&metric=steps&from=2026-11-28');
    expect(plain.body.data[0].resolution).not.toHaveProperty('derivation');
    await api.db.pool.query(`update series_day set deleted = true where user_id = $1 and source_id = 'src_phone'`, [user.id]);
    expect((await get(path)).body.data).toEqual([]);
    await api.db.pool.query(`delete from resolved_record where user_id = $1 and local_date = $2`, [user.id, day.local_date]);
  });

  it('a computed value without saying so, or the other way round, cannot be stored', async () => {
    await expect(resolved('daily', 'steps', 'garmin', { local_date: '2026-11-01', computed_value: 5 })).rejects.toThrow('check constraint');
    const resolution = JSON.stringify({ picked: ref('garmin'), rule: 'intraday', derivation: 'computed' });
    await expect(resolved('daily', 'steps', 'garmin', { local_date: '2026-11-01', resolution })).rejects.toThrow('check constraint');
  });

  it('leaves out what is gone at its source before the view knows of it, and what it knows to be gone', async () => {
    await source('daily_rollup', 'garmin', { metric: 'floors_climbed', value: 3, unit: '{flight}', deleted: true });
    await resolved('daily', 'floors_climbed', 'garmin');
    await resolved('daily', 'active_energy', 'garmin', { deleted: true });
    expect((await get('daily?view=resolved')).body.data.map((row: { metric: string }) => row.metric)).toEqual(['steps']);
  });

  it('pages through the view, and takes no cursor of the other list', async () => {
    await source('daily_rollup', 'garmin', { metric: 'distance', value: 9, unit: 'm' });
    await resolved('daily', 'distance', 'garmin');
    const first = await get('daily?view=resolved&limit=1');
    expect(first.body.data.map((row: { metric: string }) => row.metric)).toEqual(['distance']);
    const second = await get(`daily?view=resolved&limit=1&cursor=${first.body.nextCursor}`);
    expect(second.body.data.map((row: { metric: string }) => row.metric)).toEqual(['steps']);
    expect(second.body.nextCursor).toBeNull();
    expect((await get(`daily?limit=1&cursor=${first.body.nextCursor}`)).status).toBe(400);
  });

  it('shows workouts and measurements that stand for others', async () => {
    const detail = {
      ...{ sport: 'running', subSport: null, environment: null, providerSport: 'Run', elapsedS: 10, activeS: null, distanceM: null },
      ...{ elevationGainM: null, activeEnergyKcal: null, totalEnergyKcal: null, workKj: null, hrAvg: null, hrMax: null, hrZonesS: null },
      ...{ powerAvgW: null, cadenceAvg: null, steps: null, manual: false, hasRoute: false, hasStreams: false },
    };
    for (const provider of ['garmin', 'strava']) {
      await source('session_record', provider, {
        kind: 'workout',
        record_id: `run-${provider}`,
        started_at: `${DAY}T06:00:00Z`,
        ended_at: `${DAY}T07:00:00Z`,
        detail: JSON.stringify(detail),
      });
      await source('measurement_record', provider, {
        metric: 'body_weight',
        record_id: `w-${provider}`,
        measured_at: `${DAY}T06:00:00Z`,
        value: 71.25,
        unit: 'kg',
        ...{ implausible: false, manual: false, ambiguous: false, undated: false },
      });
    }
    await resolved('session', 'workout', 'garmin', { item: 'garmin/src_garmin/run-garmin', picked_record_id: 'run-garmin' });
    await resolved('measurement', 'body_weight', 'strava', { picked_record_id: 'w-strava' });
    expect((await get('workouts')).body.data).toHaveLength(2);
    expect((await get('workouts?view=resolved')).body.data).toMatchObject([
      { recordId: 'run-garmin', metric: 'workout', resolution: { picked: ref('garmin', 'run-garmin') } },
    ]);
    expect((await get('measurements?view=resolved')).body.data).toMatchObject([
      { recordId: 'w-strava', record: { value: 71.25 }, revision },
    ]);
    expect((await get('sleep?view=resolved')).body.data).toEqual([]);
  });

  it('shows one series of a day, made of the spans of several sources and of no sample twice', async () => {
    const heart = (provider: string, at: string, offsets: number[], value: number) =>
      source('series_day', provider, {
        metric: 'heart_rate',
        item: DAY,
        samples_from: `${DAY}T${at}Z`,
        offsets_s: offsets,
        sample_values: offsets.map(() => value),
        unit: '/min',
        implausible: false,
      });
    await heart('google', '06:00:00', [0, 900, 1_800], 60);
    await heart('garmin', '06:20:00', [0, 60], 70);
    const at = (clock: string) => `${DAY}T${clock}:00.000Z`;
    await resolved('series', 'heart_rate', 'google', {
      resolution: JSON.stringify({
        picked: ref('google'),
        rule: 'per_span',
        candidates: [],
        challenger: null,
        spans: [
          { from: at('06:00'), to: at('06:15'), picked: ref('google') },
          { from: at('06:15'), to: at('06:30'), picked: ref('garmin') },
          { from: at('06:30'), to: at('06:45'), picked: ref('google') },
        ],
        resolverVersion: 1,
      }),
    });
    const { body } = await get('series?view=resolved');
    expect(body.data).toMatchObject([
      { sampleCount: 4, record: { from: `${DAY}T06:00:00.000Z`, offsetsS: [0, 1_200, 1_260, 1_800], values: [60, 70, 70, 60] } },
    ]);
    expect((await get('series?view=resolved&workoutId=w-1')).body.data).toEqual([]);
  });

  it('another tenant sees none of it', async () => {
    const other = await api.key(await api.seed.environment());
    expect((await api.call('GET', `/v1/users/${user.id}/daily?view=resolved`, { key: other.key })).status).toBe(404);
  });

  describe('lists of preferred sources', () => {
    const put = (path: string, body: unknown) => api.call('PUT', `/v1/${path}`, { key, body });
    const entries = [{ by: 'provider', is: 'google' }];

    it('is set, read, replaced and deleted, for all users and for one, and each time asks for the last days anew', async () => {
      expect((await put('source-priorities/steps', { entries })).body).toMatchObject({ metric: 'steps', userId: null, entries });
      const own = [{ by: 'type', is: 'watch' }];
      expect((await put(`users/${user.id}/source-priorities/steps`, { entries: own })).body).toMatchObject({
        userId: user.id,
        entries: own,
      });
      expect((await put('source-priorities/steps', { entries: own })).status).toBe(200);
      expect((await api.call('GET', '/v1/source-priorities', { key })).body.data).toMatchObject([
        { metric: 'steps', userId: null, entries: own },
      ]);
      expect((await get('source-priorities')).body.data).toMatchObject([{ metric: 'steps', userId: user.id, entries: own }]);
      expect((await api.call('DELETE', '/v1/source-priorities/steps', { key })).status).toBe(204);
      expect((await api.call('DELETE', '/v1/source-priorities/steps', { key })).status).toBe(404);
      expect((await api.call('GET', '/v1/source-priorities', { key })).body.data).toEqual([]);
      expect(
        await api.rows('select user_id, metric, from_date from resolved_renewal where tenant_id = $1 order by requested_at, id', [
          scope.tenantId,
        ]),
      ).toMatchObject([{ user_id: null }, { user_id: user.id }, { user_id: null }, { user_id: null }]);
      const [{ days }] = (await api.rows<{ days: number }>('select current_date - from_date as days from resolved_renewal limit 1')) as [
        { days: number },
      ];
      expect(days).toBeGreaterThanOrEqual(29);
      expect(days).toBeLessThanOrEqual(31);
      expect(
        await api.rows(`select action, target from audit_log where tenant_id = $1 and action like 'source_priority%' order by at`, [
          scope.tenantId,
        ]),
      ).toEqual([
        { action: 'source_priority.save', target: 'steps' },
        { action: 'source_priority.save', target: user.id },
        { action: 'source_priority.save', target: 'steps' },
        { action: 'source_priority.delete', target: 'steps' },
      ]);
    });

    it.each([
      ['no entries', 'source-priorities/steps', { entries: [] }, 422],
      ['an unknown kind of entry', 'source-priorities/steps', { entries: [{ by: 'moon', is: 'x' }] }, 422],
      ['an entry twice', 'source-priorities/steps', { entries: [...entries, ...entries] }, 422],
      ['an unknown metric', 'source-priorities/mood', { entries }, 404],
      ['an unknown user', 'users/usr_01J00000000000000000000000/source-priorities/steps', { entries }, 404],
    ])('%s is refused and changes nothing', async (_name, path, body, status) => {
      const before = await api.rows('select * from source_priority');
      expect((await put(path, body)).status).toBe(status);
      expect(await api.rows('select * from source_priority')).toEqual(before);
    });

    it('goes with the person, as does all that the view says of them', async () => {
      expect((await put(`users/${user.id}/source-priorities/steps`, { entries })).status).toBe(200);
      expect((await api.call('DELETE', `/v1/users/${user.id}`, { key })).status).toBeLessThan(300);
      for (const table of ['resolved_record', 'resolved_renewal', 'source_priority'])
        expect([table, await api.rows(`select 1 from ${table} where user_id = $1`, [user.id])]).toEqual([table, []]);
    });
  });
});
