import { describe, expect, it } from '@jest/globals';
import { dailyMetrics } from '@tributary/domain';
import type { DailyValueRow } from '@tributary/storage';
import fc from 'fast-check';
import { showDailyValue } from './show-record.js';
import { writeDailyValues } from './write-daily-values.js';

const metric = fc.constantFrom(...Object.keys(dailyMetrics));
const source = fc.record({
  id: fc.string({ unit: 'binary' }),
  type: fc.constantFrom('ring', 'watch', 'unknown'),
  manufacturer: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  model: fc.option(fc.string(), { nil: undefined }),
  originProvider: fc.option(fc.string(), { nil: undefined }),
});
const row = fc.record({
  userId: fc.string(),
  connectionId: fc.string({ unit: 'binary' }),
  provider: fc.string(),
  sourceId: fc.string(),
  localDate: fc.constantFrom('2024-02-29', '2026-11-29'),
  source,
  dateBasis: fc.constantFrom('provider_date', 'wall_clock'),
  dayModel: fc.constantFrom('civil_0000', 'civil_0400'),
  utcOffsetS: fc.option(fc.integer({ min: -50_400, max: 50_400 })),
  provisional: fc.boolean(),
  version: fc.integer({ min: 0, max: 2 ** 52 }),
  inferred: fc.boolean(),
  revision: fc.integer({ min: 1, max: 2 ** 52 }),
  metric,
  value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  unit: fc.string(),
  implausible: fc.boolean(),
});

describe('writing daily values', () => {
  it('writes each as it is shown everywhere else, to the byte, whatever stood before it', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), fc.boolean(), (rows, sharing) => {
        // As they come from a page: several in a row with one source and one connection.
        const [first] = rows;
        const given = (sharing && first !== undefined
          ? rows.map((one) => ({ ...one, source: first.source, connectionId: first.connectionId }))
          : rows) as unknown as DailyValueRow[];
        expect(writeDailyValues(given)).toEqual(given.map((one) => JSON.stringify(showDailyValue(one))));
      }),
      { numRuns: 300 },
    );
  });
});
