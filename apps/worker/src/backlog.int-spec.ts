import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { activityDocument } from '../testing/documents.js';
import { Workbench } from '../testing/workbench.js';

describe('a watch that was away', () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterAll(() => bench.close());

  const newest = '2026-11-20';

  it.each([
    ['all at once', false],
    ['one after the other', true],
  ])(
    'C136: days of a backlog that comes in any order are each read, told %s; none is skipped because a newer one is held',
    async (_, each) => {
      const person = await bench.person();
      bench.oura.documents.clear();
      bench.oura.calls.object = 0;
      const order = [0, -3, -6, -1, -5, -2, -4];
      for (const [told, ago] of order.entries()) {
        const day = addDays(newest, ago);
        bench.oura.put(
          'daily_activity',
          activityDocument({ id: `act-${day}`, day, timestamp: `${day}T04:00:00+00:00`, steps: 1_000 - ago }),
        );
        // The provider's clock says when it changed, not of which day it is: the oldest day may have the newest version, and the other way round.
        await bench.notice(person, {
          id: `act-${day}`,
          version: Date.parse('2026-11-21T00:00:00Z') * 1_000 + (told % 2 === 0 ? told : -told),
        });
        if (!each) continue;
        await bench.resolve(person);
        await bench.fetch(person);
      }
      await bench.resolve(person);
      await bench.fetch(person);
      const steps = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
      expect(steps.map((row) => [row['local_date'], row['value']])).toEqual(
        [-6, -5, -4, -3, -2, -1, 0].map((ago) => [addDays(newest, ago), 1_000 - ago]),
      );
      expect(bench.oura.calls.object).toBe(order.length);
      expect((await bench.windows(person)).every(({ state, fetches }) => state === 'settled' && fetches === 1)).toBe(true);
    },
  );
});
