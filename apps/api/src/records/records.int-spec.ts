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
