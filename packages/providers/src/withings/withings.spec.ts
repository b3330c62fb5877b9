import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Window, grantCollection } from '@tributary/domain';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { withingsCollections } from './collections.js';
import { withings } from './provider.js';

const lines = readFileSync(new URL('./fixtures/withings-webhook-notifications.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => Buffer.from(line));
const line = (at: number) => lines[at] as Buffer;
const form = (text: string) => Buffer.from(text);
const FORM = 'application/x-www-form-urlencoded';
const app = { clientId: 'client', secrets: [], toleranceMs: 300_000 };
const parsed = (body: Buffer, type: string | undefined = FORM) =>
  withings.notices(rawRequest({ body, headers: type === undefined ? {} : { 'content-type': type } }));
const windowOf = (text: string) => parsed(form(`userid=1&${text}`)).notices[0]?.window;
const seen = (subjectId: string, collection: string, window: Window) => ({
  subjectId,
  collection,
  kind: 'changed' as const,
  window,
  version: undefined,
});
const weighed: Window = { kind: 'instants', from: '2026-09-12T04:10:59.000Z', to: '2026-09-12T04:11:02.000Z' };

provesProvider(withings, {
  proof: { grade: 'path-secret' },
  contentType: FORM,
  probes: ['GET', 'HEAD'],
  deliveryId: 'reopenable',
  emptyBody: 'no notices',
  reads: (name) => name === grantCollection || name in withingsCollections,
  genuine: { body: line(0), notices: [seen('38291047', 'measure', weighed)] },
  unread: line(5),
  extended: {
    body: form('foo=bar&userid=38291047&__proto__=x&startdate=1789186259&enddate=1789186261&appli=1'),
    notices: [seen('38291047', 'measure', weighed)],
  },
  longId: { body: form('userid=9007199254740993&date=2026-09-14&appli=16'), subjectId: '9007199254740993' },
  malformed: [
    { body: form('private'), names: 'appli:' },
    { body: form('{"private":1}'), names: 'appli:' },
    { body: form('userid=1&appli='), names: 'appli:' },
    { body: form('userid=1&appli=1&appli=46&action=private'), names: 'appli:' },
    { body: Buffer.concat([form('appli=1&userid='), Buffer.of(0xff)]), names: 'body: not UTF-8' },
    { body: form('appli=1&startdate=1&enddate=2'), names: 'userid:' },
    { body: form('appli=1&userid=&startdate=1&enddate=2'), names: 'userid:' },
    { body: form('appli=1&userid=1&userid=2&startdate=1&enddate=2'), names: 'userid:' },
    { body: form('appli=1&userid=private%00&startdate=1&enddate=2'), names: 'userid:' },
    { body: form(`appli=1&userid=${'7'.repeat(257)}&startdate=1&enddate=2`), names: 'userid: longer' },
    { body: form('appli=46&action=unlink'), names: 'userid:' },
    { body: form('appli=1&userid=1&startdate=private&enddate=2'), names: 'startdate:' },
    { body: form('appli=1&userid=1&startdate=1.5&enddate=2'), names: 'startdate:' },
    { body: form('appli=1&userid=1&startdate=-5&enddate=2'), names: 'startdate:' },
    { body: form('appli=1&userid=1&enddate=2'), names: 'startdate:' },
    { body: form('appli=1&userid=1&startdate=2'), names: 'enddate:' },
    { body: form('appli=1&userid=1&startdate=3&enddate=2'), names: 'enddate:' },
    { body: form('appli=1&userid=1&startdate=3&enddate=253402300799'), names: 'enddate:' },
    { body: form('appli=16&userid=1&date=private'), names: 'date:' },
    { body: form('appli=16&userid=1&date=2026-02-30'), names: 'date:' },
    { body: form('appli=16&userid=1&date=9999-12-31'), names: 'date:' },
    { body: form('appli=16&userid=1&date=253402300799'), names: 'date:' },
    { body: form('appli=16&userid=1&date='), names: 'date:' },
  ],
});

describe('Withings notifications', () => {
  it('point at measures, days of activity and nights, each in its own form', () => {
    expect(lines.flatMap((body) => parsed(body).notices)).toEqual([
      seen('38291047', 'measure', weighed),
      seen('38291047', 'measure', weighed),
      seen('38291047', 'activity', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }),
      seen('38291047', 'intraday', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }),
      seen('38291047', 'sleep', { kind: 'instants', from: '2026-09-14T21:10:30.000Z', to: '2026-09-15T04:41:31.000Z' }),
      seen('38291047', 'measure', { kind: 'instants', from: '2026-09-14T16:10:00.000Z', to: '2026-09-14T16:41:05.000Z' }),
      seen('38291047', grantCollection, { kind: 'whole' }),
      seen('38291047', grantCollection, { kind: 'whole' }),
    ]);
  });

  it('may repeat their bytes for a second change, so a repeat is never a duplicate for good', () => {
    expect(line(0).equals(line(1))).toBe(true);
    expect(parsed(line(0)).deliveryId).toEqual(parsed(line(1)).deliveryId);
    expect(parsed(line(0)).deliveryId.kind).toBe('reopenable');
  });

  it('name the second of their end, and a span of one second is one', () => {
    expect(windowOf('appli=1&startdate=1789186260&enddate=1789186260')).toEqual({
      kind: 'instants',
      from: '2026-09-12T04:11:00.000Z',
      to: '2026-09-12T04:11:01.000Z',
    });
  });

  it('are read by the span or the day that they have, whichever is usual for the data', () => {
    const day = { kind: 'days', from: '2026-09-14', to: '2026-09-15' };
    expect(windowOf('appli=16&date=2026-09-14&startdate=1&enddate=2')).toEqual(day);
    expect(windowOf('appli=44&date=2026-09-14')).toEqual(day);
    expect(windowOf('appli=44&date=2026-09-14&startdate=60&enddate=119')).toEqual({
      kind: 'instants',
      from: '1970-01-01T00:01:00.000Z',
      to: '1970-01-01T00:02:00.000Z',
    });
    expect(windowOf('appli=16&startdate=60&enddate=119')).toMatchObject({ kind: 'instants' });
    expect(windowOf('appli=4')).toEqual({ kind: 'whole' });
  });

  it('with an instant for a day are read on every day that it may be somewhere', () => {
    // 2026-09-14T23:30:00Z: the 15th in Paris, the 14th in New York.
    expect(windowOf('appli=16&date=1789428600')).toEqual({ kind: 'days', from: '2026-09-13', to: '2026-09-16' });
  });

  it('about the account have the grant looked at, unless only a name or a height changed', () => {
    const grant = [seen('1', grantCollection, { kind: 'whole' })];
    for (const action of ['&action=delete', '&action=unlink', '&action=later', '', '&action=update&action=unlink']) {
      expect(parsed(form(`userid=1&appli=46${action}`)).notices).toEqual(grant);
    }
    expect(parsed(form('userid=1&appli=46&action=update')).notices).toEqual([]);
  });

  it('of categories that we do not read are acknowledged, also without anybody in them', () => {
    for (const text of [
      'appli=53&deviceid=aa',
      'userid=1&appli=54&startdate=x',
      'userid=1&appli=9999',
      'userid=1&appli=01',
      'appli=constructor',
    ]) {
      expect(parsed(form(text))).toMatchObject({ notices: [] });
      expect(parsed(form(text)).answer).toBeUndefined();
    }
  });

  it('C140: keep the id whole, so that 512 is neither 5120 nor 25121', () => {
    const ids = ['512', '5120', '25121', '0512'].map((id) => parsed(form(`userid=${id}&appli=4`)).notices[0]?.subjectId);
    expect(ids).toEqual(['512', '5120', '25121', '0512']);
  });

  it('C109: are forms, whatever the letter case and charset of their content type, or none', () => {
    for (const type of [FORM, `${FORM}; charset=utf-8`, `${FORM.toUpperCase()} ;charset=UTF-8`, '', undefined]) {
      expect(parsed(line(2), type).notices).toHaveLength(2);
    }
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'nonsense']) {
      expect(parsed(line(2), type)).toMatchObject({ notices: [], answer: { status: 415 } });
    }
  });

  it('undo the encoding of a form', () => {
    expect(parsed(form('userid=%33%38&date=2026%2D09%2D14&appli=%31%36&x=%FF&y=a+b')).notices).toEqual([
      seen('38', 'activity', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }),
      seen('38', 'intraday', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }),
    ]);
  });
});

describe('Withings proves our address', () => {
  it('C009: HEAD, GET and an empty POST are probes: 200 without a body, and no notice', () => {
    for (const method of ['HEAD', 'GET']) {
      const request = rawRequest({ method });
      expect(withings.classify(request)).toBe('handshake');
      expect(withings.handshake(request, app)).toEqual({ status: 200 });
    }
    for (const headers of [{}, { 'content-type': FORM }, { 'content-type': 'application/json' }] as Record<string, string>[]) {
      const probe = rawRequest({ headers });
      expect(withings.classify(probe)).toBe('delivery');
      expect(withings.verify(probe, app, 0, noKeys)).toMatchObject({ ok: true, grade: 'path-secret' });
      const { notices, handshake, answer } = withings.notices(probe);
      expect({ notices, handshake, answer }).toEqual({ notices: [], handshake: true, answer: undefined });
    }
    expect(withings.answer('accepted')).toEqual({ status: 200 });
  });

  it('keeps its two seconds and its repeats in the facts', () => {
    expect(withings.facts.answerDeadlineMs).toBe(2_000);
    // 10 s, 1 + 10 min, 60 + 20 min and 240 + 30 min, one after the other.
    expect(withings.facts.retryHorizonMs).toBe((10 + 11 * 60 + 80 * 60 + 270 * 60) * 1000);
  });
});
