import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededConnection, type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('records of everybody, by key and in other formats', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let anna: SeededUser;
  let ben: SeededUser;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    const app = await api.seed.app(scope);
    const users = [await api.seed.user(scope), await api.seed.user(scope)].sort((a, b) => (a.id < b.id ? -1 : 1));
    [anna, ben] = users as [SeededUser, SeededUser];
    ({ key } = await api.key(scope));
    for (const user of users) {
      const connection = await api.seed.connection(app, user);
      for (const day of [27, 28, 29]) {
        await insert(user, connection, 'daily_rollup', {
          metric: 'steps',
          value: day * 100,
          unit: '{steps}',
          local_date: `2026-11-${day}`,
          revision: day,
        });
      }
      await insert(user, connection, 'series_day', {
        metric: 'heart_rate',
        item: '2026-11-28',
        local_date: '2026-11-28',
        samples_from: '2026-11-28T00:00:00Z',
        offsets_s: [0, 61],
        sample_values: [60, 61.5],
        interval_s: null,
        unit: '/min',
        implausible: false,
      });
      await insert(user, connection, 'measurement_record', {
        metric: 'body_weight',
        record_id: 'w/1',
        local_date: '2026-11-28',
        measured_at: '2026-11-28T06:30:00Z',
        value: 71.5,
        unit: 'kg',
        implausible: false,
        manual: false,
        ambiguous: false,
        undated: false,
      });
    }
  });
  afterAll(() => api.stop());

  const insert = (user: SeededUser, connection: SeededConnection, table: string, row: Record<string, unknown>) => {
    const full: Record<string, unknown> = {
      tenant_id: scope.tenantId,
      environment: scope.environment,
      user_id: user.id,
      provider: 'oura',
      connection_id: connection.id,
      provider_record_id: 'doc',
      source_id: 'src_ring',
      source: '{"id":"src_ring","type":"ring","manufacturer":"=cmd|\' /C calc\'!A0","model":"a \\"quoted\\", one"}',
      date_basis: 'provider_date',
      day_model: 'civil_0400',
      utc_offset_s: -3_600,
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
  const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { key, headers });

  describe('everybody', () => {
    it('is listed user by user, and pages meet without a gap or a repeat', async () => {
      const whole = (await get('/v1/daily?metric=steps')).body;
      expect(whole.data.map((row: { userId: string; localDate: string }) => [row.userId, row.localDate])).toEqual(
        [anna, ben].flatMap((user) => ['2026-11-27', '2026-11-28', '2026-11-29'].map((day) => [user.id, day])),
      );
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body } = await get(`/v1/daily?limit=2&metric=steps${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...body.data);
        cursor = body.nextCursor;
      }
      expect(seen).toEqual(whole.data);
    });

    it('each list has everybody, and differs from the list of one user by saying whose it is', async () => {
      for (const kind of ['daily', 'measurements', 'series']) {
        const own = (await get(`/v1/users/${anna.id}/${kind}?from=2026-11-28&to=2026-11-28`)).body.data;
        const all = (await get(`/v1/${kind}?from=2026-11-28&to=2026-11-28`)).body.data;
        expect(all).toHaveLength(2);
        expect(all[0]).toEqual({ userId: anna.id, ...own[0] });
      }
      for (const kind of ['sleep', 'workouts']) expect((await get(`/v1/${kind}`)).body).toEqual({ data: [], nextCursor: null });
      expect((await get('/v1/daily?view=resolved')).body).toEqual({ data: [], nextCursor: null });
    });

    it('another tenant has nobody, and cannot take a cursor along', async () => {
      const other = await api.key(await api.seed.environment());
      expect((await api.call('GET', '/v1/daily', { key: other.key })).body.data).toEqual([]);
      const { nextCursor } = (await get('/v1/daily?limit=1')).body;
      expect((await api.call('GET', `/v1/daily?cursor=${nextCursor}`, { key: other.key })).status).toBe(400);
    });
  });

  describe('by key', () => {
    const daily = (user: SeededUser, localDate: string) => ({
      kind: 'daily',
      user: user.id,
      metric: 'steps',
      provider: 'oura',
      sourceId: 'src_ring',
      localDate,
    });
    const one = (fields: Record<string, string>, headers = {}) => get(`/v1/records?${new URLSearchParams(fields).toString()}`, headers);

    it('one record is shown as its list shows it, with its revision as ETag', async () => {
      const [listed] = (await get(`/v1/users/${anna.id}/daily?from=2026-11-29`)).body.data;
      const { status, body, headers } = await one(daily(anna, '2026-11-29'));
      expect([status, body, headers.get('etag')]).toEqual([200, listed, '"29"']);
      const same = await one(daily(anna, '2026-11-29'), { 'if-none-match': '"28", W/"29"' });
      expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, '', '"29"']);
      expect((await one(daily(anna, '2026-11-29'), { 'if-none-match': '"28"' })).status).toBe(200);
    });

    it('a key that names nothing answers 404, one that is none names its faults', async () => {
      expect((await one(daily(anna, '2026-11-30'))).body.code).toBe('not_found');
      const other = await api.key(await api.seed.environment());
      const stolen = await api.call('GET', `/v1/records?${new URLSearchParams(daily(anna, '2026-11-29')).toString()}`, { key: other.key });
      expect([stolen.status, stolen.body.code]).toEqual([404, 'not_found']);
      const { localDate: _, ...dateless } = daily(anna, '2026-11-29');
      for (const [fields, path] of [
        [dateless, 'localDate'],
        [{ ...daily(anna, '2026-11-29'), recordId: 'x' }, 'recordId'],
        [{ ...daily(anna, '2026-11-29'), metric: 'mood' }, 'metric'],
        [{ ...dateless, kind: 'series', metric: 'heart_rate' }, 'localDate'],
      ] as const) {
        const { status, body } = await one(fields);
        expect([status, body.code, body.faults[0].path]).toEqual([422, 'validation_failed', path]);
      }
    });

    it('many are answered in the order of their keys, with null for what is not there', async () => {
      const same = { user: ben.id, provider: 'oura', sourceId: 'src_ring' };
      const keys = [
        { kind: 'series', ...same, metric: 'heart_rate', localDate: '2026-11-28' },
        daily(ben, '2026-11-29'),
        daily(ben, '2026-12-24'),
        { kind: 'measurement', ...same, metric: 'body_weight', recordId: 'w/1' },
        daily(anna, '2026-11-27'),
        { kind: 'workout', ...same, recordId: 'none' },
      ];
      const { status, body } = await api.call('POST', '/v1/records/batch', { key, body: { keys } });
      expect(status).toBe(200);
      expect(body.data.map((entry: { key: unknown }) => entry.key)).toEqual(keys);
      expect(
        body.data.map(
          (entry: { record: { record: { value?: number; values?: number[] } } | null }) =>
            entry.record?.record.values ?? entry.record?.record.value ?? null,
        ),
      ).toEqual([[60, 61.5], 2_900, null, 71.5, 2_700, null]);
      const other = await api.key(await api.seed.environment());
      const stolen = await api.call('POST', '/v1/records/batch', { key: other.key, body: { keys } });
      expect(stolen.body.data.map((entry: { record: unknown }) => entry.record)).toEqual(keys.map(() => null));
      const many = Array.from({ length: 101 }, () => daily(ben, '2026-11-29'));
      const refused = await api.call('POST', '/v1/records/batch', { key, body: { keys: many } });
      expect([refused.status, refused.body.faults[0].path]).toEqual([422, 'keys']);
    });
  });

  describe('ETag and revision', () => {
    it('a list has one that changes with what it shows, and not with its cursor', async () => {
      const path = `/v1/users/${anna.id}/daily?limit=2`;
      const first = await get(path);
      const etag = first.headers.get('etag') as string;
      expect(etag).toMatch(/^"28-[\w-]{22}"$/);
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, again.body]).toEqual([304, '']);
      await api.db.pool.query("update daily_rollup set deleted = true where user_id = $1 and local_date = '2026-11-27'", [anna.id]);
      const shorter = await get(path, { 'if-none-match': etag });
      expect(shorter.status).toBe(200);
      expect(shorter.headers.get('etag')).not.toBe(etag);
      await api.db.pool.query("update daily_rollup set deleted = false where user_id = $1 and local_date = '2026-11-27'", [anna.id]);
    });

    it('answers only with what has come to the revision that the caller knows of', async () => {
      await api.db.pool.query('update revision_counter set last_revision = 40 where tenant_id = $1', [scope.tenantId]);
      for (const path of ['/v1/daily?', `/v1/users/${anna.id}/sleep?format=csv&`]) {
        expect((await get(`${path}minRevision=40`)).status).toBe(200);
        const early = await get(`${path}minRevision=41`);
        expect([early.status, early.body.code, early.headers.get('retry-after')]).toEqual([425, 'revision_not_reached', '1']);
      }
      expect((await get('/v1/daily?view=resolved&minRevision=1')).status).toBe(425);
      await api.db.pool.query('insert into resolved_progress (tenant_id, environment, upto) values ($1, $2, 39)', [
        scope.tenantId,
        scope.environment,
      ]);
      expect((await get('/v1/daily?view=resolved&minRevision=39')).status).toBe(200);
      expect((await get('/v1/daily?view=resolved&minRevision=40')).status).toBe(425);
    });
  });

  describe('formats', () => {
    it('CSV has one row for each entry, and no cell that a spreadsheet would run', async () => {
      for (const [path, headers] of [
        [`/v1/users/${anna.id}/daily?format=csv&limit=1`, {}],
        [`/v1/users/${anna.id}/daily`, { accept: 'text/csv, */*;q=0.1' }],
      ] as const) {
        const { body, headers: sent } = await get(path, headers);
        expect(sent.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
        const [head, ...rows] = (body as string).trimEnd().split('\r\n');
        expect(head).toBe(
          'userId,connectionId,provider,localDate,dateBasis,dayModel,utcOffsetS,source.id,source.type,source.manufacturer,source.model,revision,version,inferred,provisional,metric,kind,record.value,record.unit,record.statistic,record.implausible',
        );
        expect(rows).toHaveLength(3);
        expect(rows[0]).toContain(`,-3600,src_ring,ring,'=cmd|' /C calc'!A0,"a ""quoted"", one",27,`);
        expect(rows[0]).toMatch(/,true,false,steps,daily_total,2700,\{steps\},sum,false$/);
      }
    });

    it('CSV of samples has one row for each sample', async () => {
      const { body } = await get('/v1/series?format=csv');
      const [head, ...rows] = (body as string).trimEnd().split('\r\n');
      expect(head).toMatch(/,at,value$/);
      expect(rows.map((row) => [row.split(',')[0], row.split(',').slice(-2)])).toEqual(
        [anna, ben].flatMap((user) => [
          [user.id, ['2026-11-28T00:00:00.000Z', '60']],
          [user.id, ['2026-11-28T00:01:01.000Z', '61.5']],
        ]),
      );
    });

    it('NDJSON has the entries of the list, over as many slices as it takes', async () => {
      await api.db.pool.query(
        `insert into daily_rollup (tenant_id, environment, user_id, provider, metric, local_date, source_id, value, unit, connection_id, provider_record_id,
           source, date_basis, day_model, provisional, version, inferred, revision, content_hash)
         select tenant_id, environment, user_id, provider, 'floors_climbed', '2024-01-01'::date + n, source_id, n, '{flight}', connection_id,
           provider_record_id, source, date_basis, day_model, provisional, version, inferred, revision, content_hash
         from daily_rollup, generate_series(1, 700) n where user_id = any ($1) and local_date = '2026-11-29'`,
        [[anna.id, ben.id]],
      );
      const { body, headers } = await get('/v1/daily?metric=floors_climbed', { accept: 'application/x-ndjson' });
      expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const lines = (body as string)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { userId: string; record: { value: number } });
      expect(lines.map((line) => [line.userId, line.record.value])).toEqual(
        [anna, ben].flatMap((user) => Array.from({ length: 700 }, (_, n) => [user.id, n + 1])),
      );
      expect(lines[0]).toEqual((await get('/v1/daily?metric=floors_climbed&limit=1')).body.data[0]);
    });

    it('a question that will not do is answered as a problem in every format', async () => {
      for (const format of ['csv', 'ndjson']) {
        const forged = await get(`/v1/daily?format=${format}&cursor=AAAA`);
        expect([forged.status, forged.body.code]).toEqual([400, 'malformed_request']);
        const nobody = await get(`/v1/users/usr_00000000000000000000000000/daily?format=${format}`);
        expect([nobody.status, nobody.body.code]).toEqual([404, 'not_found']);
      }
      expect((await get('/v1/daily?format=xml')).body.faults[0].path).toBe('format');
    });
  });
});
