import { describe, expect, it } from '@jest/globals';
import { ProviderUnreachable } from '../provider.js';
import { scriptedHttp } from '../../testing/scripted-http.js';
import { historyParts } from '../history-parts.js';
import { sweptCollections } from '../swept-collections.js';
import { askForGarminHistory, garminHistory } from './history.js';
import { garmin } from './provider.js';

const origins = { api: 'https://garmin.example', authorize: '', token: '' };
const now = Date.parse('2026-11-30T12:00:00Z');
const days = { kind: 'days', from: '2026-09-01', to: '2026-11-01' } as const;

const ask = (http: Parameters<typeof askForGarminHistory>[2]['http'], window: Parameters<typeof askForGarminHistory>[1] = days) =>
  askForGarminHistory('backfill/dailies', window, { http, origins, accessToken: 'at', now });

describe('asking Garmin for the past', () => {
  it('one request for whole days by UTC, with the person’s token', async () => {
    const { http, asked } = scriptedHttp({ status: 202 });
    expect(await ask(http)).toEqual({ is: 'records', complete: true, records: [] });
    expect(asked).toMatchObject([
      {
        method: 'GET',
        url: `https://garmin.example/wellness-api/rest/backfill/dailies?summaryStartTimeInSeconds=${Date.UTC(2026, 8, 1) / 1000}&summaryEndTimeInSeconds=${Date.UTC(2026, 10, 1) / 1000}`,
        headers: { authorization: 'Bearer at' },
      },
    ]);
  });

  it('not for what is to come', async () => {
    const { http, asked } = scriptedHttp({ status: 202 });
    await ask(http, { kind: 'days', from: '2026-11-27', to: '2026-12-02' });
    expect(asked[0]?.url).toContain(`summaryEndTimeInSeconds=${now / 1000}`);
    const none = scriptedHttp();
    expect(await ask(none.http, { kind: 'days', from: '2026-12-01', to: '2026-12-02' })).toMatchObject({ is: 'records' });
    expect(none.asked).toEqual([]);
  });

  it.each([
    ['202 is taken', { status: 202 }, { is: 'records', complete: true, records: [] }],
    [
      '409 was asked for before: no webhook will come, so nobody waits for one',
      { status: 409 },
      { is: 'records', complete: true, records: [] },
    ],
    ['401 stops and asks for a token', { status: 401 }, { is: 'unauthorised' }],
    ['403 is not permitted', { status: 403 }, { is: 'forbidden', scope: 'HISTORICAL_DATA_EXPORT' }],
    ['412 is not permitted either', { status: 412 }, { is: 'forbidden', scope: 'HISTORICAL_DATA_EXPORT' }],
    ['429 waits', { status: 429, headers: { 'retry-after': '30' } }, { is: 'rate-limited', retryAt: now + 30_000 }],
    ['500 is tried again', { status: 500 }, { is: 'transient', code: 'http_500' }],
  ])('C152 %s', async (_, reply, outcome) => {
    expect(await ask(scriptedHttp(reply).http)).toEqual(outcome);
  });

  it('no answer is tried again', async () => {
    const http = { send: () => Promise.reject(new ProviderUnreachable('ECONNRESET')) };
    expect(await ask(http)).toEqual({ is: 'transient', code: 'ECONNRESET' });
  });

  it('the provider’s own way to it, and never by a sweep', async () => {
    const { http, asked } = scriptedHttp({ status: 202 });
    await garmin.fetchRecords('backfill/sleeps', days, {
      http,
      origins,
      accessToken: 'at',
      now,
      whereabouts: { profile: [], fallbackZone: undefined, tzdb: 'x' },
    });
    expect(asked[0]?.url).toContain('/backfill/sleeps?');
    expect(sweptCollections(garmin).filter((name) => name.startsWith('backfill/'))).toEqual([]);
  });

  it('C154 a consent without the historical export asks for nothing; one with it for every type, in spans that Garmin takes', () => {
    const plan = (scopes: readonly string[]) =>
      historyParts(garmin.collections, { scopes, from: '2026-09-01', to: '2026-12-02', today: '2026-11-30' });
    expect(plan(['HEALTH_EXPORT', 'ACTIVITY_EXPORT']).filter(({ permitted }) => permitted)).toEqual([]);
    const all = plan(['HEALTH_EXPORT', 'ACTIVITY_EXPORT', 'HISTORICAL_DATA_EXPORT']);
    expect(all.map(({ collection }) => collection).sort()).toEqual(Object.keys(garminHistory).sort());
    expect(all.filter(({ permitted, spanDays }) => !permitted || spanDays > 90)).toEqual([]);
    expect(all.find(({ collection }) => collection === 'backfill/activities')?.spanDays).toBe(30);
  });
});
