import { describe, expect, it } from '@jest/globals';
import type { DailyRecord, HealthRecord, SleepRecord } from '@tributary/domain';
import type { HeldRow, Standing } from '@tributary/storage';
import { type HeldRows, planChanges, revisionsOf } from './plan-changes.js';
import { type ReadEvidence, type SeenRows, seenGone, seenRows } from './seen-rows.js';

const NOON = Date.parse('2026-09-15T12:00:00Z');
const MINUTE = 60_000;
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
/** A read that takes a second, so many minutes after noon. */
const read = (minutes: number, changes: Partial<ReadEvidence> = {}): ReadEvidence => ({
  readVersion: (NOON + minutes * MINUTE) * 1000,
  fresh: { from: NOON + minutes * MINUTE, to: NOON + minutes * MINUTE + 1_000 },
  via: 'pull',
  complete: true,
  clockDomain: 'oura',
  normalizerVersion: 1,
  collection: 'daily_activity',
  owner: { userId: 'usr', connectionId: 'con', provider: 'oura' },
  ...changes,
});
const none = (seen: SeenRows): HeldRows => ({
  seen: seen.rows.map(() => undefined),
  gone: [],
  absent: [],
  rekeyed: [],
});
/** How a row stands that one read wrote. */
const standing = (record: HealthRecord, minutes = 0): Standing => {
  const seen = seenRows([record], read(minutes));
  const [change] = planChanges(seen, none(seen)).changes;
  if (change === undefined) throw new Error('It was not written');
  return { localDate: change.row.localDate, providerRecordId: change.row.providerRecordId, state: change.state };
};
const heldRow = (record: HealthRecord, minutes = 0): HeldRow => {
  const [seen] = seenRows([record], read(minutes)).rows;
  return { ...(seen as SeenRows['rows'][number]).row, ...standing(record, minutes) };
};
const planOver = (before: Standing, record: HealthRecord, minutes = 10) =>
  planChanges(seenRows([record], read(minutes)), { seen: [before], gone: [], absent: [], rekeyed: [] });

describe('what a read shows', () => {
  it("has the provider's version where it gives one, in its own clock domain", () => {
    expect(seenRows([steps(1)], read(0)).rows[0]?.observation).toMatchObject({ providerVersion: undefined, clockDomain: undefined });
    expect(seenRows([steps(1, { version: 55 })], read(0)).rows[0]?.observation).toMatchObject({ providerVersion: 55, clockDomain: 'oura' });
  });

  it('marks what is implausible, and sets apart what no body can have, by its path', () => {
    expect(seenRows([steps(70_000)], read(0))).toMatchObject({ rows: [{ row: { value: 70_000, implausible: true } }], putAside: [] });
    expect(seenRows([steps(1), steps(9e9, { localDate: '2026-09-13' })], read(0))).toMatchObject({
      rows: [{ observation: { impossible: false } }, { observation: { impossible: true } }],
      putAside: ['records[1].steps.value is out of any possible range'],
    });
  });

  it('C131 a key that came twice in one read counts once: as it is newest by its version, else as it came last', () => {
    expect(seenRows([steps(1), steps(2)], read(0)).rows).toMatchObject([{ row: { value: 2 } }]);
    expect(seenRows([steps(1), steps(1)], read(0)).rows).toMatchObject([{ row: { value: 1 } }]);
    expect(seenRows([steps(1, { version: 9 }), steps(2, { version: 8 })], read(0)).rows).toMatchObject([{ row: { value: 1 } }]);
    expect(seenRows([steps(1, { version: 9 }), steps(2, { version: 9 })], read(0)).rows).toMatchObject([{ row: { value: 2 } }]);
    expect(seenRows([steps(1), steps(9e9)], read(0))).toMatchObject({ rows: [{ row: { value: 1 } }], putAside: [expect.any(String)] });
    expect(seenRows([steps(9e9), steps(1, { version: 1 })], read(0)).rows).toMatchObject([{ row: { value: 1 } }]);
  });

  it('is as old as its newest sample when it was pushed, and never newer than it arrived', () => {
    const pushed = read(60, { via: 'push', complete: true, fresh: { from: 0, to: NOON + 60 * MINUTE } });
    const fresh = (record: HealthRecord) => seenRows([record], pushed).rows[0]?.observation.fresh;
    expect(fresh(night())).toEqual({ from: Date.parse('2026-09-15T06:00:00Z'), to: pushed.fresh.to });
    expect(fresh(steps(1, { coverageEnd: NOON }))).toEqual({ from: NOON, to: pushed.fresh.to });
    expect(fresh(steps(1, { coverageEnd: NOON + 1e9 }))).toEqual({ from: pushed.fresh.to, to: pushed.fresh.to });
    expect(fresh(steps(1))).toEqual({ from: 0, to: pushed.fresh.to });
  });

  it('is as new as the moment that it was told of, where that is known', () => {
    const told = read(60, { via: 'push', complete: true, fresh: { from: NOON, to: NOON } });
    const fresh = (record: HealthRecord) => seenRows([record], told).rows[0]?.observation.fresh;
    for (const record of [night(), steps(1), steps(1, { coverageEnd: NOON + 1e9 })]) expect(fresh(record)).toEqual(told.fresh);
  });
});

describe('what a read changes', () => {
  it('another id of the document is no change; another value, day of closing or offset is', () => {
    const verdict = (record: DailyRecord) => [...planOver(standing(steps(1)), record).verdicts.keys()][0];
    expect(verdict(steps(1))).toBe('same');
    expect(verdict(steps(1, { providerRecordId: 'other' }))).toBe('same');
    expect(verdict(steps(2))).toBe('updated');
    expect(verdict(steps(1, { provisional: true }))).toBe('updated');
    expect(verdict(steps(1, { utcOffsetS: 3_600 }))).toBe('updated');
  });

  it('the same content is touched and not told: the later look is kept, and the new id of its document', () => {
    const plan = planOver(standing(steps(1)), steps(1, { providerRecordId: 'other' }));
    expect(revisionsOf(plan)).toBe(0);
    expect(plan.touched).toMatchObject([
      { table: 'daily_rollup', metric: 'steps', providerRecordId: 'other', state: { fresh: { from: NOON + 10 * MINUTE } } },
    ]);
  });

  it('a night that moved says from where', () => {
    const before = standing(night());
    expect(planOver(before, night({ localDate: '2026-09-16' })).changes).toMatchObject([
      { change: 'updated', previousLocalDate: '2026-09-15' },
    ]);
    expect(planOver(before, night({ end: '2026-09-15T07:00:00.000Z' })).changes).toMatchObject([{ previousLocalDate: undefined }]);
  });

  it('a document that is gone takes every row of it, each only if the read is newer', () => {
    const gone = [heldRow(steps(1)), heldRow(steps(2, { metric: 'distance' }), 50), heldRow(night())];
    const plan = planChanges(seenGone('doc', read(9)), { seen: [], gone, absent: [], rekeyed: [] });
    expect(plan.removed).toMatchObject([
      { metric: 'steps', reason: 'provider_deleted' },
      { kind: 'sleep', reason: 'provider_deleted' },
    ]);
    expect(revisionsOf(plan)).toBe(2);
    expect(Object.fromEntries(plan.verdicts)).toEqual({ removed: 2, stale: 1 });
  });

  it('what the read shows is there, though its document is said to be gone', () => {
    const seen: SeenRows = { ...seenRows([steps(2)], read(9)), gone: ['doc'] };
    const held = heldRow(steps(1));
    const plan = planChanges(seen, { seen: [held], gone: [held], absent: [], rekeyed: [] });
    expect([plan.changes.length, plan.removed.length]).toEqual([1, 0]);
  });

  it('old news is neither written nor removed', () => {
    const seen = seenRows([steps(1), steps(2, { metric: 'distance' })], read(9));
    const plan = planChanges(seen, none(seen), new Set([0]));
    expect(plan.changes).toMatchObject([{ row: { metric: 'distance' } }]);
    expect(Object.fromEntries(plan.verdicts)).toEqual({ stale: 1, created: 1 });
  });
});

describe('rows that go for other reasons', () => {
  const key = { table: 'daily_rollup', metric: 'steps', sourceId: 'src', localDate: '2026-09-14' } as const;
  const later = steps(1, { version: (NOON + 1e9) * 1000 });

  it('that the provider lacks one is weighed against what is held; that we may not see it is not', () => {
    const because = (reason: 'absent_confirmed' | 'permission_revoked', record: HealthRecord, minutes: number) => {
      const seen: SeenRows = { ...seenRows([], read(minutes)), absent: [{ row: key, reason }] };
      return planChanges(seen, { seen: [], gone: [], absent: [standing(record, 5)], rekeyed: [] });
    };
    expect(because('absent_confirmed', steps(1), 9).removed).toMatchObject([{ reason: 'absent_confirmed', metric: 'steps' }]);
    expect(because('absent_confirmed', steps(1), 1).removed).toEqual([]);
    expect(because('permission_revoked', later, 1).removed).toMatchObject([{ reason: 'permission_revoked', state: { withdrawn: true } }]);
  });

  it('a key that changed is two changes that name each other', () => {
    const moved = steps(1, { localDate: '2026-09-13' });
    const to = { ...key, localDate: '2026-09-13' };
    const seen: SeenRows = { ...seenRows([moved], read(9)), rekeyed: [{ from: key, to }] };
    const plan = planChanges(seen, { seen: [undefined], gone: [], absent: [], rekeyed: [standing(later)] });
    expect(plan.changes).toMatchObject([{ change: 'created', supersedes: key }]);
    expect(plan.removed).toMatchObject([{ reason: 'rekeyed', supersededBy: to, localDate: '2026-09-14' }]);
  });

  it('a key is not left for one that the gate keeps out', () => {
    const moved = steps(1, { localDate: '2026-09-13' });
    const to = { ...key, localDate: '2026-09-13' };
    const seen: SeenRows = { ...seenRows([moved], read(1)), rekeyed: [{ from: key, to }] };
    const newer = standing(steps(2, { localDate: '2026-09-13' }), 9);
    const plan = planChanges(seen, { seen: [newer], gone: [], absent: [], rekeyed: [standing(steps(1))] });
    expect([plan.changes, plan.removed]).toEqual([[], []]);
  });

  it('what is not held cannot go', () => {
    const seen: SeenRows = {
      ...seenRows([], read(9)),
      absent: [{ row: key, reason: 'absent_confirmed' }],
      rekeyed: [{ from: key, to: key }],
    };
    const plan = planChanges(seen, { seen: [], gone: [], absent: [undefined], rekeyed: [undefined] });
    expect([revisionsOf(plan), plan.touched]).toEqual([0, []]);
  });
});

describe('what is in doubt', () => {
  it('is touched, not told, and wished to be read again, once for each row', () => {
    const before = standing(steps(9, { coverageEnd: NOON - 5 * MINUTE }));
    const plan = planOver(before, steps(7, { coverageEnd: NOON - 9 * MINUTE }));
    expect(plan.touched).toMatchObject([{ state: { contentHash: before.state.contentHash, unsettled: true, doubt: { row: 10 } } }]);
    expect(plan.wishes).toEqual([{ localDate: '2026-09-14', notBefore: NOON + 11 * MINUTE + 1_000 }]);
    expect(Object.fromEntries(plan.verdicts)).toEqual({ to_confirm: 1 });
  });
});
