import { describe, expect, it } from '@jest/globals';
import { type OuraDocument, pageOf, samplesOf, wholeDocument } from './documents.js';

describe('documents of the Oura stand-in', () => {
  it('are whole whatever was given, and keep what was given', () => {
    const activity = wholeDocument('daily_activity', 'd1', { day: '2026-09-14', steps: 8431, extra: 'kept' });
    expect(activity).toMatchObject({
      id: 'd1',
      day: '2026-09-14',
      steps: 8431,
      total_calories: 2150,
      timestamp: '2026-09-14T04:00:00+00:00',
      extra: 'kept',
    });
    expect(wholeDocument('workout', 'w1', { day: '2026-09-14' })).toMatchObject({ activity: 'running', source: 'confirmed' });
  });

  it('have a default night whose phases add up to its durations', () => {
    const night = wholeDocument('sleep', 's1', { day: '2026-03-01' });
    const phases = String(night['sleep_phase_5_min']);
    const seconds = (digit: string) => [...phases].filter((d) => d === digit).length * 300;
    expect([seconds('1'), seconds('2'), seconds('3'), seconds('4')]).toEqual([
      night['deep_sleep_duration'],
      night['light_sleep_duration'],
      night['rem_sleep_duration'],
      night['awake_time'],
    ]);
    expect(phases.length * 300).toBe(night['time_in_bed']);
    expect(night['bedtime_start']).toBe('2026-02-28T23:10:30+00:00');
    expect((Date.parse(String(night['bedtime_end'])) - Date.parse(String(night['bedtime_start']))) / 1000).toBe(night['time_in_bed']);
  });

  it("are refused when they are not of Oura's shape", () => {
    expect(() => wholeDocument('daily_activity', 'd1', { steps: 1 })).toThrow(/day/);
    expect(() => wholeDocument('daily_activity', 'd1', { day: '2026-02-30' })).toThrow(/day/);
    expect(() => wholeDocument('daily_activity', 'd1', { day: '2026-09-14', steps: '1' })).toThrow(/steps/);
    expect(() => wholeDocument('daily_activity', 'd1', { day: '2026-09-14', id: 'd2' })).toThrow(/is not the id of the address/);
    expect(() => wholeDocument('sleep', 's1', { day: '2026-09-14', bedtime_start: '2026-09-13T23:00:00' })).toThrow(/with its offset/);
    expect(() => wholeDocument('sleep', 's1', { day: '2026-09-14', type: 'snooze' })).toThrow(/type/);
  });

  const days = (n: number): OuraDocument[] => Array.from({ length: n }, (_, i) => ({ id: `d${9 - i}`, day: `2026-09-1${i}` }));
  const range = { start: '2026-09-10', end: '2026-09-12' };

  it('are listed without the end day for activity, with it for sleep', () => {
    const list = (collection: 'daily_activity' | 'sleep') =>
      pageOf(collection, days(5), range, { after: undefined, size: 10 }).data.map((d) => d.day);
    expect(list('daily_activity')).toEqual(['2026-09-10', '2026-09-11']);
    expect(list('sleep')).toEqual(['2026-09-10', '2026-09-11', '2026-09-12']);
  });

  it('are neither repeated nor skipped when one comes or goes between two pages', () => {
    const all = new Map(days(5).map((d) => [d.id, d]));
    const whole = { start: '2026-09-10', end: '2026-09-19' };
    const first = pageOf('sleep', all.values(), whole, { after: undefined, size: 2 });
    expect(first.data.map((d) => d.day)).toEqual(['2026-09-10', '2026-09-11']);
    all.delete('d9');
    all.set('a0', { id: 'a0', day: '2026-09-10' });
    const second = pageOf('sleep', all.values(), whole, { after: first.next, size: 2 });
    expect(second.data.map((d) => d.day)).toEqual(['2026-09-12', '2026-09-13']);
    const third = pageOf('sleep', all.values(), whole, { after: second.next, size: 2 });
    expect([third.data.map((d) => d.day), third.next]).toEqual([['2026-09-14'], undefined]);
  });

  it('have scores, values of the night and of the profile within their ranges', () => {
    expect(wholeDocument('daily_readiness', 'r1', { day: '2026-09-15' })).toMatchObject({ score: 84, temperature_deviation: -0.11 });
    expect(wholeDocument('daily_sleep', 's1', { day: '2026-09-15', score: null })).toMatchObject({ score: null });
    expect(wholeDocument('daily_spo2', 'o1', { day: '2026-09-15', spo2_percentage: null })).toMatchObject({ spo2_percentage: null });
    expect(wholeDocument('vo2_max', 'v1', { day: '2026-09-15' })).toMatchObject({ vo2_max: 43 });
    expect(() => wholeDocument('daily_sleep', 's1', { day: '2026-09-15', score: 101 })).toThrow(/score/);
    expect(() => wholeDocument('heartrate', 'h1', { day: '2026-09-15', bpm: -1 })).toThrow(/bpm/);
  });

  it('of heart rates are listed by their time, without their ids, page by page', () => {
    const sample = (id: string, timestamp: string) => wholeDocument('heartrate', id, { day: '2026-09-15', timestamp });
    const all = [
      sample('c', '2026-09-15T02:00:00+02:00'),
      sample('b', '2026-09-14T23:59:59+00:00'),
      sample('a', '2026-09-15T00:00:01+00:00'),
      sample('d', '2026-09-15T01:00:00+00:00'),
    ];
    const range = { start: '2026-09-15T00:00:00+00:00', end: '2026-09-15T01:00:00+00:00' };
    const first = samplesOf(all, range, { after: undefined, size: 1 });
    expect(first.data).toEqual([{ bpm: 60, source: 'awake', timestamp: '2026-09-15T02:00:00+02:00' }]);
    const second = samplesOf(all, range, { after: first.next, size: 1 });
    expect([second.data.map(({ timestamp }) => timestamp), second.next]).toEqual([['2026-09-15T00:00:01+00:00'], undefined]);
  });
});
