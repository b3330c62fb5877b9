import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { fetchOuraRecords } from './fetch-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const origins = { api: 'https://api.test', authorize: 'https://a.test', token: 'https://t.test' };
const days = { kind: 'days', from: '2026-09-14', to: '2026-09-16' } as const;
const object = { kind: 'object', id: 'a/b?c' } as const;

type Said = { status?: number; headers?: Record<string, string>; body?: unknown };

/** A provider that says one thing after the other. */
function saying(...replies: (Said | Error)[]) {
  const asked: string[] = [];
  const http = {
    async send({ url, headers }: { url: string; headers?: Readonly<Record<string, string>> }): Promise<ProviderReply> {
      expect(headers).toMatchObject({ authorization: 'Bearer secret-token' });
      asked.push(url);
      const next = replies.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      const body = typeof next.body === 'string' ? next.body : JSON.stringify(next.body ?? {});
      return { status: next.status ?? 200, headers: next.headers ?? {}, body: Buffer.from(body) };
    },
  };
  return { asked, context: { http, origins, accessToken: 'secret-token', now, whereabouts: nowhere } };
}

const doc = (id: string, day: string) => ({
  id,
  day,
  timestamp: `${day}T04:00:00+02:00`,
  steps: 10,
  active_calories: null,
  total_calories: null,
  equivalent_walking_distance: null,
});

describe('reading Oura', () => {
  it('reads one document by its id', async () => {
    const { asked, context } = saying({ body: doc('x', '2026-09-14') });
    expect(await fetchOuraRecords('daily_activity', object, context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ metric: 'steps', value: 10 }],
    });
    expect(asked).toEqual(['https://api.test/v2/usercollection/daily_activity/a%2Fb%3Fc']);
  });

  it('reads days with one more on each side, follows every page, and cuts by the day of each document', async () => {
    const { asked, context } = saying(
      { body: { data: [doc('1', '2026-09-13'), doc('2', '2026-09-14')], next_token: 'n/1' } },
      { body: { data: [doc('3', '2026-09-15'), doc('4', '2026-09-16')], next_token: null } },
    );
    const outcome = await fetchOuraRecords('daily_activity', days, context);
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: [{ providerRecordId: '2' }, { providerRecordId: '3' }] });
    expect(asked).toEqual([
      'https://api.test/v2/usercollection/daily_activity?start_date=2026-09-13&end_date=2026-09-16',
      'https://api.test/v2/usercollection/daily_activity?start_date=2026-09-13&end_date=2026-09-16&next_token=n%2F1',
    ]);
  });

  it('stops after a hundred pages and says that it is not complete', async () => {
    const { asked, context } = saying(...Array.from({ length: 101 }, () => ({ body: { data: [], next_token: 'more' } })));
    expect(await fetchOuraRecords('sleep', days, context)).toEqual({ is: 'records', complete: false, records: [] });
    expect(asked).toHaveLength(100);
  });

  it('a failure on a later page is the outcome of the whole: half a window is never taken for one', async () => {
    const { context } = saying({ body: { data: [doc('2', '2026-09-14')], next_token: 'n' } }, { status: 502 });
    expect(await fetchOuraRecords('daily_activity', days, context)).toEqual({ is: 'transient', code: 'http_502' });
  });

  it.each([
    [404, { is: 'gone' }],
    [401, { is: 'unauthorised' }],
    [403, { is: 'forbidden', scope: 'daily' }],
    [500, { is: 'transient', code: 'http_500' }],
    [408, { is: 'transient', code: 'http_408' }],
    [302, { is: 'drift', detail: 'status 302' }],
    [400, { is: 'drift', detail: 'status 400' }],
    [429, { is: 'rate-limited', retryAt: now + 60_000 }],
  ])('status %i of a document', async (status, outcome) => {
    expect(await fetchOuraRecords('sleep', object, saying({ status }).context)).toEqual(outcome);
  });

  it('a list that is not there is drift and deletes nothing', async () => {
    expect(await fetchOuraRecords('sleep', days, saying({ status: 404 }).context)).toEqual({ is: 'drift', detail: 'status 404' });
  });

  it('no whole answer is transient, any other failure is not hidden', async () => {
    expect(await fetchOuraRecords('sleep', object, saying(new ProviderUnreachable('timeout')).context)).toEqual({
      is: 'transient',
      code: 'timeout',
    });
    await expect(fetchOuraRecords('sleep', object, saying(new TypeError('bug')).context)).rejects.toThrow('bug');
  });

  it('an answer that was cut off, or is the page of somebody in between, is asked for again', async () => {
    for (const body of ['<html>', '{"data":[{"id":'])
      expect(await fetchOuraRecords('daily_activity', days, saying({ body }).context)).toEqual({ is: 'transient', code: 'body_no_json' });
  });

  it.each([
    [[], 'body is no object'],
    [{ data: {} }, 'data is no list'],
    [{ data: [], next_token: 5 }, 'next_token is no text'],
    ['null', 'body is no object'],
    ['"oops"', 'body is no object'],
  ])('C037 an answer of another shape is drift that names the path: %j', async (body, detail) => {
    expect(await fetchOuraRecords('daily_activity', days, saying({ body }).context)).toEqual({ is: 'drift', detail });
  });

  it('a document of another shape is a fault that names its path, and the others count', async () => {
    const data = [doc('1', '2026-09-14'), { id: '2' }, { ...doc('3', '2026-09-15'), steps: {} }, doc('4', '2026-09-15')];
    expect(await fetchOuraRecords('daily_activity', days, saying({ body: { data } }).context)).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ providerRecordId: '1' }, { providerRecordId: '4' }],
      faults: ['data[1].day is no civil day', 'data[2].steps is no number'],
    });
    expect(await fetchOuraRecords('daily_activity', object, saying({ body: { ...doc('1', '2026-09-14'), steps: {} } }).context)).toEqual({
      is: 'drift',
      detail: 'steps is no number',
    });
  });

  it('a record carries the hash of its document, the same by list and by id', async () => {
    const hashIn = (outcome: Awaited<ReturnType<typeof fetchOuraRecords>>) =>
      outcome.is === 'records' ? outcome.records.map((record) => (record.kind === 'deleted' ? '' : record.inputHash)) : [];
    const one = doc('1', '2026-09-14');
    const listed = hashIn(await fetchOuraRecords('daily_activity', days, saying({ body: { data: [one] } }).context));
    expect(listed).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(hashIn(await fetchOuraRecords('daily_activity', object, saying({ body: one }).context))).toEqual(listed);
    expect(hashIn(await fetchOuraRecords('daily_activity', object, saying({ body: { ...one, steps: 11 } }).context))).not.toEqual(listed);
  });

  it('collections and windows that we do not know are told apart before anything is asked', async () => {
    const { asked, context } = saying();
    expect(await fetchOuraRecords('session', object, context)).toMatchObject({ is: 'drift' });
    expect(await fetchOuraRecords('sleep', { kind: 'instants', from: 'a', to: 'b' }, context)).toMatchObject({ is: 'drift' });
    expect(await fetchOuraRecords('heartrate', object, context)).toMatchObject({ is: 'drift' });
    expect(asked).toEqual([]);
  });
});
