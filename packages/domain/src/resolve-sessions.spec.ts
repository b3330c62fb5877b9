import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SessionCandidate, resolveSessions, sportsAgree } from './resolve-sessions.js';
import type { PriorityLists } from './source-priority.js';

const nobody: PriorityLists = { ofUser: undefined, ofTenant: undefined };
const at = (clock: string): number => Date.parse(`2026-09-15T${clock}:00Z`);
const session = (key: string, start: string, end: string, rest: Partial<SessionCandidate> = {}): SessionCandidate => {
  const [provider = '', sourceType = ''] = key.split('/');
  return {
    key,
    sourceId: key,
    sourceType,
    provider,
    originProvider: undefined,
    coverage: undefined,
    sport: 'running',
    start: at(start),
    end: at(end),
    ...rest,
  };
};
const resolve = (...sessions: SessionCandidate[]) => resolveSessions(sessions, 'workout', nobody);

describe('sessions of several sources', () => {
  it('that overlap by half are one, and the better source stands for it', () => {
    expect(resolve(session('google/phone', '07:00', '08:00'), session('garmin/watch', '07:10', '08:05'))).toEqual([
      { primary: 'garmin/watch', alsoRecordedBy: ['google/phone'], echoes: [] },
    ]);
  });

  it.each([
    ['29 of 60 minutes', session('google/phone', '07:31', '08:31'), 2],
    ['30 of 60 minutes', session('google/phone', '07:30', '08:30'), 1],
    ['another sport', session('google/phone', '07:00', '08:00', { sport: 'swimming' }), 2],
    ['a kind of the sport', session('google/phone', '07:00', '08:00', { sport: 'running.trail' }), 1],
    ['a sport that nobody knows', session('google/phone', '07:00', '08:00', { sport: 'other' }), 1],
    ['a sleep', session('google/phone', '07:00', '08:00', { sport: 'sleep' }), 2],
  ])('a run from 07:00 to 08:00 and %s: %#', (_name, other, clusters) => {
    expect(resolve(session('garmin/watch', '07:00', '08:00'), other)).toHaveLength(clusters);
  });

  it('a night and its two halves by another device are one night', () => {
    const sleep = { sport: 'sleep' };
    const clusters = resolve(
      session('oura/ring', '00:00', '07:00', sleep),
      session('google/phone', '00:10', '02:00', sleep),
      session('google/phone2', '02:30', '06:50', { ...sleep, sourceType: 'phone' }),
      session('oura/ring-nap', '13:00', '13:40', { ...sleep, sourceType: 'ring' }),
    );
    expect(clusters.map(({ primary, alsoRecordedBy }) => [primary, alsoRecordedBy])).toEqual([
      ['oura/ring', ['google/phone2', 'google/phone']],
      ['oura/ring-nap', []],
    ]);
  });

  it('a chain of overlaps is not one session', () => {
    const clusters = resolve(
      session('garmin/watch', '07:00', '08:00'),
      session('google/phone', '07:30', '08:30'),
      session('strava/app', '08:10', '08:40'),
    );
    expect(clusters.map(({ primary }) => primary)).toEqual(['garmin/watch', 'strava/app']);
  });

  it('of one device the longer one stands for both: a parent and its legs are one', () => {
    const legs = [session('garmin/a', '07:00', '07:20'), session('garmin/b', '07:20', '08:00'), session('garmin/c', '07:00', '08:00')];
    const watch = legs.map((leg) => ({ ...leg, sourceType: 'watch', sport: 'other' }));
    expect(resolve(...watch)).toEqual([{ primary: 'garmin/c', alsoRecordedBy: ['garmin/b', 'garmin/a'], echoes: [] }]);
  });

  it('of two that it could join, it joins the one that it shares most with', () => {
    const clusters = resolve(
      session('garmin/watch', '07:00', '08:00'),
      session('garmin/watch2', '08:00', '09:00', { sourceType: 'watch' }),
      session('google/phone', '07:25', '08:55'),
    );
    expect(clusters.map(({ primary, alsoRecordedBy }) => [primary, alsoRecordedBy])).toEqual([
      ['garmin/watch', []],
      ['garmin/watch2', ['google/phone']],
    ]);
  });

  it('what came by another road is an echo of the row that came by its own', () => {
    const echo = session('strava/app', '07:01', '08:01', { originProvider: 'garmin', sport: 'running.trail' });
    expect(resolve(echo, session('garmin/watch', '07:00', '08:00'))).toEqual([
      { primary: 'garmin/watch', alsoRecordedBy: [], echoes: [{ key: 'strava/app', echoOf: 'garmin/watch' }] },
    ]);
    expect(resolve(echo)).toEqual([{ primary: 'strava/app', alsoRecordedBy: [], echoes: [] }]);
  });

  it('of two that it could repeat it repeats the nearer; clusters stand in the order of time', () => {
    const echo = session('strava/app', '07:02', '08:02', { originProvider: 'garmin' });
    const clusters = resolve(
      echo,
      session('google/phone', '05:00', '05:30'),
      session('garmin/a', '07:00', '08:00', { sourceType: 'watch' }),
      session('garmin/b', '07:03', '08:03', { sourceType: 'ring' }),
    );
    expect(clusters).toEqual([
      { primary: 'google/phone', alsoRecordedBy: [], echoes: [] },
      { primary: 'garmin/a', alsoRecordedBy: ['garmin/b'], echoes: [{ key: 'strava/app', echoOf: 'garmin/b' }] },
    ]);
  });

  it.each([
    ['two minutes apart', '07:02', '08:02', 1],
    ['three minutes apart', '07:03', '08:03', 0],
    ['a twentieth shorter', '07:00', '07:57', 1],
    ['more than a twentieth shorter', '07:00', '07:56', 0],
  ])('an echo is as long and begins at the same time: %s', (_name, start, end, echoes) => {
    const [cluster] = resolve(session('strava/app', start, end, { originProvider: 'garmin' }), session('garmin/watch', '07:00', '08:00'));
    expect(cluster?.echoes).toHaveLength(echoes);
    expect(cluster?.alsoRecordedBy).toHaveLength(1 - echoes);
  });

  it.each([
    ['running', 'running', true],
    ['running', 'running.trail', true],
    ['running', 'cycling', false],
    ['other', 'cycling', true],
    ['sleep', 'sleep', true],
    ['sleep', 'other', false],
  ])('%s and %s agree: %s', (a, b, expected) => {
    expect([sportsAgree(a, b), sportsAgree(b, a)]).toEqual([expected, expected]);
  });

  it('their order does not matter, and every one of them is in exactly one cluster, once', () => {
    const any = fc
      .record({
        provider: fc.constantFrom('garmin', 'strava', 'google'),
        sourceType: fc.constantFrom('watch', 'phone', 'app'),
        originProvider: fc.option(fc.constantFrom('garmin', 'polar'), { nil: undefined }),
        sport: fc.constantFrom('running', 'running.trail', 'cycling', 'other', 'sleep'),
        start: fc.nat(90),
        length: fc.integer({ min: 0, max: 90 }),
      })
      .map(({ start, length, ...rest }) => ({
        ...rest,
        start: at('07:00') + start * 60_000,
        end: at('07:00') + (start + length) * 60_000,
      }));
    const all = fc
      .array(any, { maxLength: 8 })
      .map((list) =>
        list.map((one, n): SessionCandidate => ({ ...one, key: `${one.provider}/${n}`, sourceId: `s${n}`, coverage: undefined })),
      );
    fc.assert(
      fc.property(
        all.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([one, other]) => {
          const clusters = resolveSessions(one, 'workout', nobody);
          expect(resolveSessions(other, 'workout', nobody)).toEqual(clusters);
          const keys = clusters.flatMap(({ primary, alsoRecordedBy, echoes }) => [
            primary,
            ...alsoRecordedBy,
            ...echoes.map(({ key }) => key),
          ]);
          expect(keys.sort()).toEqual(one.map(({ key }) => key).sort());
        },
      ),
      { numRuns: 300 },
    );
  });
});
