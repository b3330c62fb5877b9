import { describe, expect, it } from '@jest/globals';
import { type OuraDocument, pageOf, wholeDocument } from './documents.js';

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
});
