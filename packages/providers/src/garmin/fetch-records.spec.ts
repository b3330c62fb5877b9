import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Window } from '@tributary/domain';
import { type Said, nowhere, scriptedHttp, testContext } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { carriedGarminRecords, fetchGarminRecords } from './fetch-records.js';

const now = Date.parse('2026-09-14T22:00:00Z');
const nowS = now / 1000;
const pulled = (JSON.parse(readFileSync(new URL('./fixtures/garmin-api-dailies-pull.json', import.meta.url)).toString()) as object[])[0];
const upload = (from: number, to: number): Window => ({
  kind: 'instants',
  from: new Date(from * 1000).toISOString(),
  to: new Date(to * 1000).toISOString(),
});

async function read(collection: string, window: Window, ...replies: (Said | Error)[]) {
  const { http, asked } = scriptedHttp(...replies);
  const outcome = await fetchGarminRecords(collection, window, testContext(http, now));
  for (const { headers } of asked) expect(headers).toMatchObject({ authorization: 'Bearer secret-token' });
  return { outcome, urls: asked.map(({ url }) => url) };
}

const steps = ({ outcome }: Awaited<ReturnType<typeof read>>) =>
  outcome.is === 'records' ? outcome.records.flatMap((r) => (r.kind === 'daily' && r.metric === 'steps' ? [r.value] : [])) : outcome.is;

describe('reading Garmin', () => {
  it('is by when something was uploaded, from the ping to this moment', async () => {
    const { outcome, urls } = await read('dailies', upload(nowS - 3600, nowS - 1800), { body: [pulled] });
    expect(urls).toEqual([
      `https://api.test/wellness-api/rest/dailies?uploadStartTimeInSeconds=${nowS - 3600}&uploadEndTimeInSeconds=${nowS}`,
    ]);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
  });

  it('a ping that is read late does not put the day as it was then in the place of what came since', async () => {
    const [early, later] = [
      { ...pulled, durationInSeconds: 36_000, steps: 3_000 },
      { ...pulled, durationInSeconds: 72_000, steps: 9_000 },
    ];
    const late = await read('dailies', upload(nowS - 90_000, nowS - 86_401), { body: [early] }, { body: [later] });
    expect(late.urls).toHaveLength(2);
    expect(late.urls[1]).toContain(`uploadStartTimeInSeconds=${nowS - 3600}&uploadEndTimeInSeconds=${nowS}`);
    expect(steps(late)).toEqual([9_000]);
  });

  it('a day is looked for in what was uploaded since it began, and at least for a day', async () => {
    const { urls } = await read(
      'dailies',
      { kind: 'days', from: '2026-09-13', to: '2026-09-14' },
      { body: [] },
      { body: [] },
      { body: [] },
    );
    expect(urls[0]).toContain(`uploadStartTimeInSeconds=${Date.parse('2026-09-12T10:00:00Z') / 1000}&`);
    const today = await read('dailies', { kind: 'days', from: '2026-09-15', to: '2026-09-16' }, { body: [] });
    expect(today.urls[0]).toContain(`uploadStartTimeInSeconds=${nowS - 86_400}&`);
  });

  it('a clock of Garmin’s that is ahead of ours hides nothing', async () => {
    const { urls } = await read('dailies', upload(nowS + 5, nowS + 65), { body: [] });
    expect(urls).toEqual([
      `https://api.test/wellness-api/rest/dailies?uploadStartTimeInSeconds=${nowS}&uploadEndTimeInSeconds=${nowS + 65}`,
    ]);
    expect((await read('dailies', upload(nowS - 60, nowS + 900_000), { body: [] }, { body: [] })).urls).toHaveLength(2);
  });

  it('an activity is looked for by its id, backwards from now; that it is not found does not say that it is gone', async () => {
    const run = {
      summaryId: '7',
      durationInSeconds: 60,
      startTimeInSeconds: nowS - 7200,
      startTimeOffsetInSeconds: 0,
      activityType: 'RUNNING',
    };
    const object: Window = { kind: 'object', id: '7' };
    const edited = { ...run, activityType: 'TRAIL_RUNNING' };
    const found = await read('activities', object, { body: [{ ...run, summaryId: '8' }] }, { body: [run, edited] });
    expect(found.urls.map((url) => url.slice(url.indexOf('?')))).toEqual([
      `?uploadStartTimeInSeconds=${nowS - 86_400}&uploadEndTimeInSeconds=${nowS}`,
      `?uploadStartTimeInSeconds=${nowS - 172_800}&uploadEndTimeInSeconds=${nowS - 86_400}`,
    ]);
    expect(found.outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ kind: 'workout', providerRecordId: '7', detail: { providerSport: 'TRAIL_RUNNING' } }],
    });
    expect(found.outcome).toHaveProperty('records.length', 1);
    const broken = await read('activities', object, { body: [{ ...run, durationInSeconds: 'private' }] });
    expect(broken.outcome).toEqual({ is: 'drift', detail: '[0].durationInSeconds is no number' });
    const none = await read('activities', object, ...Array.from({ length: 10 }, () => ({ body: [] })));
    expect(none.outcome).toEqual({ is: 'not-ready' });
    expect(none.urls).toHaveLength(10);
  });

  it('what is older than ten days is read as far as it goes, and not said to be all', async () => {
    const { outcome, urls } = await read(
      'dailies',
      upload(nowS - 40 * 86_400, nowS - 39 * 86_400),
      ...Array.from({ length: 10 }, () => ({ body: [] })),
    );
    expect(urls).toHaveLength(10);
    expect(outcome).toEqual({ is: 'records', complete: false, records: [] });
  });

  it('refusals', async () => {
    const after = async (said: Said | Error) => (await read('activities', upload(nowS - 60, nowS), said)).outcome;
    expect(await after({ status: 401 })).toEqual({ is: 'unauthorised' });
    for (const status of [403, 412]) expect(await after({ status })).toEqual({ is: 'forbidden', scope: 'ACTIVITY_EXPORT' });
    expect(await after({ status: 429, headers: { 'retry-after': '90' } })).toEqual({ is: 'rate-limited', retryAt: now + 90_000 });
    expect(await after({ status: 502 })).toEqual({ is: 'transient', code: 'http_502' });
    expect(await after(new ProviderUnreachable('reset'))).toEqual({ is: 'transient', code: 'reset' });
    expect(await after({ status: 400 })).toEqual({ is: 'drift', detail: 'status 400' });
    expect(await after({ body: {} })).toEqual({ is: 'drift', detail: 'body is no list' });
    expect(await after({ body: ['private'] })).toEqual({ is: 'drift', detail: '[0] is no object' });
    expect((await read('mct', upload(nowS - 60, nowS))).outcome).toEqual({ is: 'drift', detail: 'collection is not known' });
  });
});

describe('parts of days', () => {
  const breath = (start: string, value: number) => ({
    summaryId: start,
    startTimeInSeconds: Date.parse(start) / 1000,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 900,
    timeOffsetEpochToBreaths: { '0': value },
  });
  const seriesIn = (outcome: Awaited<ReturnType<typeof read>>['outcome']) =>
    outcome.is === 'records'
      ? outcome.records.flatMap((r) => (r.kind === 'series' ? [`${r.localDate} ${r.samples.values.join(' ')}`] : []))
      : [outcome.is];

  it('are read from where the first of their days begins, as a series is of the whole day', async () => {
    const { outcome, urls } = await read(
      'allDayRespiration',
      upload(nowS - 3600, nowS - 1800),
      { body: [breath('2026-09-14T20:00:00Z', 14)] },
      // Also a late part of the day before, of which not all is here.
      { body: [breath('2026-09-14T08:00:00Z', 12), breath('2026-09-13T23:00:00Z', 11)] },
    );
    expect(urls.map((url) => url.slice(url.indexOf('?')))).toEqual([
      `?uploadStartTimeInSeconds=${nowS - 3600}&uploadEndTimeInSeconds=${nowS}`,
      `?uploadStartTimeInSeconds=${Date.parse('2026-09-14T00:00:00Z') / 1000}&uploadEndTimeInSeconds=${nowS - 3600}`,
    ]);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
    expect(seriesIn(outcome)).toEqual(['2026-09-14 12 14']);
  });

  it('of days that began before what can be read are left out, and the read says so', async () => {
    const old = breath('2026-09-01T08:00:00Z', 12);
    const nine = Array.from({ length: 9 }, () => ({ body: [] }));
    const { outcome } = await read(
      'allDayRespiration',
      upload(nowS - 3600, nowS),
      { body: [old, breath('2026-09-14T20:00:00Z', 14)] },
      ...nine,
      {
        body: [],
      },
    );
    expect(outcome).toMatchObject({ is: 'records', complete: false });
    expect(seriesIn(outcome)).toEqual(['2026-09-14 14']);
  });

  it('that were pushed are the day when all of them can be read, and else nothing', () => {
    const pushes = (...summaries: unknown[]) =>
      carriedGarminRecords(
        'allDayRespiration',
        summaries.map((summary) => Buffer.from(typeof summary === 'string' ? summary : JSON.stringify(summary))),
        { now, whereabouts: nowhere },
      );
    expect(seriesIn(pushes(breath('2026-09-14T08:00:00Z', 12), breath('2026-09-14T20:00:00Z', 14)))).toEqual(['2026-09-14 12 14']);
    expect(pushes(breath('2026-09-14T08:00:00Z', 12), 'private')).toEqual({
      is: 'records',
      complete: true,
      records: [],
      faults: ['carried[1] is no JSON'],
    });
  });
});

describe('the addresses of pings', () => {
  const origin = 'https://apis.garmin.com';
  const person = '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901';
  const target = '/wellness-api/rest/dailies?token=a%2Bb%2F%3D&uploadEndTimeInSeconds=2&uploadStartTimeInSeconds=1&id=9007199254740993127';
  const wanted = { status: 400, body: { errorMessage: 'InvalidPullTokenException failure' } };
  const called = async (collection: string, window: Window, callbacks: string[], ...replies: (Said | Error)[]) => {
    const { http, asked } = scriptedHttp(...replies);
    const outcome = await fetchGarminRecords(collection, window, {
      ...testContext(http, now),
      callbacks: callbacks.map((url) => ({ url, subjectId: person })),
    });
    for (const { headers } of asked) expect(headers).toMatchObject({ authorization: 'Bearer secret-token' });
    return { outcome, urls: asked.map(({ url }) => url) };
  };

  it('C040: are called letter by letter, at the provider’s origin, and show the state of then', async () => {
    const { outcome, urls } = await called('dailies', upload(1, 2), [origin + target], { body: [pulled] });
    expect(urls).toEqual([`https://api.test${target}`]);
    // When it was uploaded.
    expect(outcome).toMatchObject({ is: 'records', complete: true, asTold: 2_000 });
  });

  it('that are not Garmin’s are never called, whoever put them there', async () => {
    for (const foreign of [`https://evil.test${target}`, `${origin}/other${target}`, `${origin}/wellness-api/rest/../../x`, 'no address']) {
      const { urls } = await called('dailies', upload(nowS - 60, nowS), [foreign], { body: [] });
      expect(urls).toEqual([
        `https://api.test/wellness-api/rest/dailies?uploadStartTimeInSeconds=${nowS - 60}&uploadEndTimeInSeconds=${nowS}`,
      ]);
    }
  });

  it('of one window are repeats: the newest that is honoured does', async () => {
    const spent = [`${origin}${target}&n=1`, `${origin}${target}&n=2`, `${origin}${target}&n=3`];
    const { outcome, urls } = await called('dailies', upload(1, 2), spent, wanted, { body: [pulled] });
    expect(urls.map((url) => url.slice(-1))).toEqual(['3', '2']);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
  });

  it('that show another person, or nothing, are passed over for one that shows what was told', async () => {
    const three = [`${origin}${target}&n=1`, `${origin}${target}&n=2`, `${origin}${target}&n=3`];
    const others = { body: [{ ...pulled, userId: 'c7b9e0aa-1203-4f6e-8d11-5b7f3a90d2e4', steps: 1 }] };
    const read = await called('dailies', upload(1, 2), three, others, { body: [] }, { body: [pulled] });
    expect(read.urls.map((url) => url.slice(-1))).toEqual(['3', '2', '1']);
    expect(steps(read)).toEqual([11_342]);
    const only = await called('dailies', upload(nowS - 60, nowS), [origin + target], others, { body: [] });
    expect(only.urls).toHaveLength(2);
    expect(steps(only)).toEqual([]);
  });

  it('that tell no times show each something of its own', async () => {
    const state = (durationInSeconds: number, count: number) => ({ ...pulled, durationInSeconds, steps: count });
    const two = [`${origin}${target}&n=1`, `${origin}${target}&n=2`];
    const both = await called('dailies', { kind: 'whole' }, two, { body: [state(3_600, 1)] }, { body: [state(7_200, 2)] });
    expect(both.urls.map((url) => url.slice(-1))).toEqual(['2', '1']);
    expect(steps(both)).toEqual([2]);
    const half = await called('dailies', { kind: 'whole' }, two, { status: 404 }, { body: [pulled] });
    expect(half.outcome).toMatchObject({ is: 'records', complete: false });
  });

  it('when no key is honoured any more, the upload times are tried', async () => {
    const { outcome, urls } = await called('dailies', upload(nowS - 60, nowS), [origin + target], { status: 403 }, { body: [pulled] });
    expect(urls[1]).toContain(`?uploadStartTimeInSeconds=${nowS - 60}&`);
    expect(outcome).toMatchObject({ is: 'records', complete: true });
    expect(outcome).not.toHaveProperty('asTold');
    const neither = await called('dailies', upload(nowS - 60, nowS), [origin + target], wanted, wanted);
    expect(neither.outcome).toEqual({ is: 'drift', detail: 'status 400: read without a pull token' });
  });

  it('do not hide that the grant itself is refused', async () => {
    const after = async (said: Said) => (await called('dailies', upload(1, 2), [origin + target], said)).outcome;
    expect(await after({ status: 401 })).toEqual({ is: 'unauthorised' });
    expect(await after({ status: 412 })).toEqual({ is: 'forbidden', scope: 'HEALTH_EXPORT' });
    expect(await after({ status: 503 })).toEqual({ is: 'transient', code: 'http_503' });
  });

  it('would only show parts of a day of what comes in parts: then no series is better than a part of one', async () => {
    const { outcome, urls } = await called('epochs', upload(nowS - 60, nowS), [origin + target], wanted);
    expect(urls).toHaveLength(1);
    expect(outcome).toEqual({ is: 'records', complete: true, records: [], asTold: now });
  });
});

describe('what Garmin pushed', () => {
  const carried = (...summaries: object[]) => summaries.map((summary) => Buffer.from(JSON.stringify(summary)));
  const stepsOf = (...summaries: object[]) => {
    const outcome = carriedGarminRecords('dailies', carried(...summaries), { now, whereabouts: nowhere });
    return outcome.is === 'records'
      ? outcome.records.flatMap((r) => (r.kind === 'daily' && r.metric === 'steps' ? [r.value] : []))
      : outcome;
  };
  const state = (durationInSeconds: number, count: number) => ({ ...pulled, durationInSeconds, steps: count });

  it('one summary that cannot be read does not take the others with it', () => {
    const outcome = carriedGarminRecords('dailies', carried({ ...pulled, startTimeInSeconds: 'private' }, state(7_200, 2)), {
      now,
      whereabouts: nowhere,
    });
    expect(outcome).toMatchObject({ is: 'records', complete: true, faults: ['carried[0].startTimeInSeconds is no number'] });
    expect(outcome).toHaveProperty(
      'records',
      expect.arrayContaining([expect.objectContaining({ metric: 'steps', value: 2, inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) })]),
    );
  });

  it('is taken in its newest state, whichever came last', () => {
    expect(stepsOf(state(3_600, 1), state(7_200, 2))).toEqual([2]);
    expect(stepsOf(state(7_200, 2), state(3_600, 1))).toEqual([2]);
  });

  it('a repeat of an earlier state is not news, though it is as long', () => {
    expect(stepsOf(state(7_200, 2), state(7_200, 3), state(7_200, 2))).toEqual([3]);
  });

  it('an activity may be edited back', () => {
    const run = { summaryId: '7', durationInSeconds: 60, startTimeInSeconds: nowS, activityType: 'RUNNING' };
    const outcome = carriedGarminRecords('activities', carried(run, { ...run, activityType: 'HIKING' }, run), {
      now,
      whereabouts: nowhere,
    });
    expect(outcome).toMatchObject({ is: 'records', records: [{ detail: { providerSport: 'RUNNING' } }] });
  });

  it('and what is not of its shape is a fault without a value, of its own', () => {
    const fault = (path: string) => ({ is: 'records', complete: true, records: [], faults: [path] });
    expect(carriedGarminRecords('dailies', carried({ ...pulled, steps: 'private' }), { now, whereabouts: nowhere })).toEqual(
      fault('carried[0].steps is no number'),
    );
    expect(carriedGarminRecords('dailies', [Buffer.from('private')], { now, whereabouts: nowhere })).toEqual(
      fault('carried[0] is no JSON'),
    );
    expect(carriedGarminRecords('dailies', [Buffer.from('[1]')], { now, whereabouts: nowhere })).toEqual(fault('carried[0] is no object'));
    expect(carriedGarminRecords('mct', [], { now, whereabouts: nowhere })).toEqual({ is: 'drift', detail: 'collection is not known' });
  });
});
