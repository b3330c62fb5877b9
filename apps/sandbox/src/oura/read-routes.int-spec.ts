import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProviderServer, startProviders } from '../../../../test/stand-ins/provider-server.js';

interface Page {
  readonly data: readonly { readonly id: string; readonly day: string; readonly steps?: number }[];
  readonly next_token: string | null;
}

describe('reading at the Oura stand-in', () => {
  let oura: ProviderServer;
  let now = Date.parse('2026-09-15T12:00:00Z');
  let accessToken = '';
  beforeAll(async () => {
    oura = await startProviders(() => now);
  });
  afterAll(() => oura.stop());
  beforeEach(async () => {
    await oura.control('DELETE', '/');
    await oura.control('POST', '/apps', { clientId: 'app', clientSecret: 's' });
    await oura.control('POST', '/people', { subjectId: 'ada' });
    accessToken = await grant('ada', ['daily', 'personal']);
    for (let i = 1; i <= 8; i += 1) await put('daily_activity', `d${i}`, { day: `2026-09-0${i}`, steps: i * 1000 });
  });

  const grant = async (subjectId: string, scopes: string[]) =>
    (await oura.control<{ accessToken: string }>('POST', `/people/${subjectId}/grants`, { clientId: 'app', scopes })).accessToken;
  const put = (collection: string, id: string, document: object) =>
    oura.control('PUT', `/people/ada/documents/${collection}/${id}`, document);
  const read = <T = Page>(path: string, token = accessToken) =>
    oura.call<T>('GET', `/oura/v2/usercollection/${path}`, undefined, token === '' ? {} : { authorization: `Bearer ${token}` });
  const steps = async () => (await read<{ steps: number }>('daily_activity/d1')).body.steps;

  it('a list comes in pages, each named by the one before', async () => {
    const range = 'start_date=2026-09-01&end_date=2026-09-09';
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { status, body }: { status: number; body: Page } = await read(
        `daily_activity?${range}${next === '' ? '' : `&next_token=${next}`}`,
      );
      expect([status, body.data.length <= 3]).toEqual([200, true]);
      seen.push(...body.data.map((d) => d.day));
      next = body.next_token;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((i) => `2026-09-0${i}`));
    expect(await oura.control('GET', '/calls?subjectId=ada')).toMatchObject({
      listReads: 3,
      byCollection: { daily_activity: { listReads: 3, objectReads: 0 } },
    });
  });

  it('the size of a page can be set', async () => {
    await oura.control('PUT', '/faults', { pageSize: 8 });
    const { body } = await read('daily_activity?start_date=2026-09-01&end_date=2026-09-09');
    expect([body.data.length, body.next_token]).toEqual([8, null]);
  });

  it('a next_token is worth nothing for other dates, collections or people, or when it was made up', async () => {
    const range = 'start_date=2026-09-01&end_date=2026-09-09';
    const token = (await read(`daily_activity?${range}`)).body.next_token ?? '';
    expect((await read(`daily_activity?next_token=${token}`)).body.data[0]?.id).toBe('d4');
    expect((await read(`daily_activity?start_date=2026-09-02&next_token=${token}`)).status).toBe(400);
    expect((await read(`sleep?${range}&next_token=${token}`)).status).toBe(400);
    expect((await read(`daily_activity?${range}&next_token=eyJmb3JnZWQiOnRydWV9`)).status).toBe(400);
    await oura.control('POST', '/people', { subjectId: 'bob' });
    expect((await read(`daily_activity?${range}&next_token=${token}`, await grant('bob', ['daily']))).status).toBe(400);
  });

  it('without dates yesterday and today are meant, and what is no date is refused', async () => {
    await put('sleep', 's1', { day: '2026-09-13' });
    await put('sleep', 's2', { day: '2026-09-14' });
    await put('sleep', 's3', { day: '2026-09-15' });
    expect((await read('sleep')).body.data.map((d) => d.id)).toEqual(['s2', 's3']);
    for (const query of ['start_date=yesterday', 'end_date=2026-13-01', 'start_date=2026-09-02&end_date=2026-09-01']) {
      expect((await read(`sleep?${query}`)).status).toBe(400);
    }
  });

  it('a document is read by its id, whole, and only by the person it belongs to', async () => {
    const { status, body } = await read<Record<string, unknown>>('daily_activity/d3');
    expect([status, body['steps'], body['total_calories'], body['day']]).toEqual([200, 3000, 2150, '2026-09-03']);
    expect((await read('daily_activity/none')).status).toBe(404);
    expect((await read('sleep/d3')).status).toBe(404);
    expect((await read('heart_rate/d3')).status).toBe(404);
    await oura.control('POST', '/people', { subjectId: 'bob' });
    expect((await read('daily_activity/d3', await grant('bob', ['daily']))).status).toBe(404);
    await oura.control('DELETE', '/people/ada/documents/daily_activity/d3');
    expect(await read('daily_activity/d3')).toMatchObject({ status: 404, body: { detail: 'Document not found.' } });
  });

  it('personal_info names the person, and the rest only as far as it was granted', async () => {
    expect((await read('personal_info')).body).toEqual({
      id: 'ada',
      age: 36,
      weight: 72.5,
      height: 1.75,
      biological_sex: 'female',
      email: null,
    });
    expect((await read('personal_info', await grant('ada', ['email']))).body).toMatchObject({
      id: 'ada',
      age: null,
      email: 'ada@example.test',
    });
  });

  it('no token, a wrong one and a withdrawn one are 401; a scope that is missing is 403', async () => {
    for (const token of ['', 'made-up']) expect((await read('daily_activity/d1', token)).status).toBe(401);
    expect((await oura.call('GET', '/oura/v2/usercollection/daily_activity/d1', undefined, { authorization: accessToken })).status).toBe(
      401,
    );
    const narrow = await grant('ada', ['workout']);
    expect([
      (await read('daily_activity/d1', narrow)).status,
      (await read('sleep', narrow)).status,
      (await read('personal_info', narrow)).status,
    ]).toEqual([403, 403, 403]);
    expect((await read('workout/none')).status).toBe(403);
    expect(await oura.control('DELETE', '/people/ada/grants')).toEqual({ ended: 2 });
    expect((await read('daily_activity/d1')).status).toBe(401);
  });

  it('over the limit comes 429 with when to come back, and then reads work again', async () => {
    await oura.control('PUT', '/faults', { rateLimit: { limit: 2, windowS: 30 } });
    expect([(await read('daily_activity/d1')).status, (await read('daily_activity')).status]).toEqual([200, 200]);
    now += 10_000;
    const { status, headers } = await read('daily_activity/d1');
    expect(status).toBe(429);
    expect(
      ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-window', 'x-ratelimit-reset', 'x-ratelimit-tier'].map((name) => headers.get(name)),
    ).toEqual(['20', '2', '30', String((now + 20_000) / 1000), 'app']);
    now += 20_000;
    expect((await read('daily_activity/d1')).status).toBe(200);
    expect(await oura.control('GET', '/calls?subjectId=ada')).toMatchObject({ objectReads: 2, listReads: 1, readsRefused: 1 });
  });

  it('reads fail as often as ordered: by status, by a cut connection, by half a document', async () => {
    await oura.control('PUT', '/faults', { failReads: { status: 503, times: 2 } });
    expect([
      (await read('daily_activity/d1')).status,
      (await read('daily_activity')).status,
      (await read('daily_activity/d1')).status,
    ]).toEqual([503, 503, 200]);
    await oura.control('PUT', '/faults', { failReads: { status: 'reset', times: 1 } });
    await expect(read('daily_activity/d1')).rejects.toThrow();
    await oura.control('PUT', '/faults', { failReads: { status: 'garbled', times: 1 } });
    await expect(read('daily_activity/d1')).rejects.toThrow(SyntaxError);
    expect(await steps()).toBe(1000);
  });

  it('a document can be slow to appear', async () => {
    await oura.control('PUT', '/faults', { notReady: 2 });
    expect([
      (await read('daily_activity/d1')).status,
      (await read('daily_activity/d1')).status,
      (await read('daily_activity/d1')).status,
    ]).toEqual([404, 404, 200]);
  });

  it('a slow read tells what was true when it was asked', async () => {
    await oura.control('PUT', '/faults', { readDelayMs: 200 });
    const slow = steps();
    await new Promise((resolve) => {
      setTimeout(resolve, 80);
    });
    await put('daily_activity', 'd1', { day: '2026-09-01', steps: 9999 });
    expect(await slow).toBe(1000);
    await oura.control('DELETE', '/faults');
    expect(await steps()).toBe(9999);
  });

  it('the truth is what the documents say', async () => {
    const truth = await oura.control<{ documents: Record<string, { id: string; steps: number }[]> }>('GET', '/people/ada/truth');
    expect(truth.documents['daily_activity']?.map((d) => [d.id, d.steps])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((i) => [`d${i}`, i * 1000]),
    );
    expect(truth.documents['sleep']).toEqual([]);
  });
});
