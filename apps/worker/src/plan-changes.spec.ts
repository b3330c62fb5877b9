import { describe, expect, it } from '@jest/globals';
import { type DailyRecord, type HealthRecord, type SleepRecord } from '@tributary/domain';
import type { HeldRow, RecordRow } from '@tributary/storage';
import { type HeldRows, planChanges, revisionsOf } from './plan-changes.js';
import { seenGone, seenRows } from './seen-rows.js';

const source = { id: 'src', type: 'ring', manufacturer: 'Oura', model: undefined } as const;
const steps = (value: number, changes: Partial<DailyRecord> = {}): DailyRecord => ({
  kind: 'daily',
  metric: 'steps',
  value,
  providerRecordId: 'doc',
  source,
  localDate: '2026-09-14',
  dateBasis: 'provider_date',
  dayModel: 'civil_0400',
  utcOffsetS: 0,
  provisional: false,
  version: undefined,
  ...changes,
});
const night = (changes: Partial<SleepRecord> = {}): SleepRecord => ({
  kind: 'sleep',
  providerRecordId: 'n',
  source,
  localDate: '2026-09-15',
  dateBasis: 'provider_date',
  dayModel: 'night',
  utcOffsetS: 0,
  endUtcOffsetS: 0,
  provisional: false,
  version: undefined,
  start: '2026-09-14T22:00:00.000Z',
  end: '2026-09-15T06:00:00.000Z',
  detail: {} as SleepRecord['detail'],
  ...changes,
});
const none: HeldRows = { seen: [], gone: [] };
const held = (record: HealthRecord, version: number): HeldRow => ({
  ...(seenRows([record], version).rows[0] as RecordRow),
  deleted: false,
});

describe('what a read changes', () => {
  it("takes the provider's version where it gives one, else the start of the read", () => {
    expect(seenRows([steps(1)], 77).rows[0]).toMatchObject({ version: 77, inferred: true });
    expect(seenRows([steps(1, { version: 55 })], 77).rows[0]).toMatchObject({ version: 55, inferred: false });
  });

  it('marks what is implausible, and counts a key that came twice once, as it came last', () => {
    expect(seenRows([steps(1), steps(70_000)], 1).rows).toMatchObject([{ value: 70_000, implausible: true }]);
  });

  it('another id of the document is no change, another value, day of closing or offset is', () => {
    const verdict = (record: DailyRecord) =>
      [...planChanges(seenRows([record], 9), { ...none, seen: [held(steps(1), 5)] }).verdicts.keys()][0];
    expect(verdict(steps(1))).toBe('confirmed');
    expect(verdict(steps(1, { providerRecordId: 'other' }))).toBe('confirmed');
    expect(verdict(steps(2))).toBe('updated');
    expect(verdict(steps(1, { provisional: true }))).toBe('updated');
    expect(verdict(steps(1, { utcOffsetS: 3_600 }))).toBe('updated');
  });

  it('a night that moved says from where', () => {
    const before = { ...none, seen: [held(night(), 5)] };
    expect(planChanges(seenRows([night({ localDate: '2026-09-16' })], 9), before).changes).toMatchObject([
      { change: 'updated', previousLocalDate: '2026-09-15' },
    ]);
    expect(planChanges(seenRows([night({ end: '2026-09-15T07:00:00.000Z' })], 9), before).changes).toMatchObject([
      { previousLocalDate: undefined },
    ]);
  });

  it('a document that is gone takes every row of it, each only if the read is newer', () => {
    const gone = [held(steps(1), 5), held(steps(2, { metric: 'distance' }), 50), held(night(), 5)];
    const plan = planChanges(seenGone('doc', 9), { ...none, gone });
    expect(plan.removed.map((row) => row.metric ?? row.kind)).toEqual(['steps', 'sleep']);
    expect(revisionsOf(plan)).toBe(2);
    expect(Object.fromEntries(plan.verdicts)).toEqual({ removed: 2, stale: 1 });
  });
});
