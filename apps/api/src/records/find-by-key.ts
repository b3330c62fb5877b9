import type { Scope } from '@tributary/domain';
import {
  type Found,
  type ShownKey,
  type SleepShown,
  type Sql,
  type WorkoutShown,
  findDailyValues,
  findMeasurements,
  findSeries,
  findSessions,
} from '@tributary/storage';
import type { z } from 'zod';
import { type RecordKey, type anyRecord, shownKey } from './record-key.js';
import { showDailyValue, showMeasurement, showSeries, showSleepSession, showWorkout } from './show-record.js';

export type FoundRecord = z.infer<typeof anyRecord>;

/** One record for each key, in their order, in the very form of the lists; undefined where there is none, or it was deleted. */
export async function findByKey(sql: Sql, scope: Scope, keys: readonly RecordKey[]): Promise<(FoundRecord | undefined)[]> {
  const found: (FoundRecord | undefined)[] = keys.map(() => undefined);
  const read = async <Row>(
    kinds: readonly RecordKey['kind'][],
    find: (sql: Sql, scope: Scope, keys: readonly ShownKey[]) => Promise<Found<Row>[]>,
    show: (row: Row, key: RecordKey) => FoundRecord,
  ) => {
    const places = keys.flatMap((key, place) => (kinds.includes(key.kind) ? [place] : []));
    const rows = await find(
      sql,
      scope,
      places.map((place) => shownKey(keys[place] as RecordKey)),
    );
    for (const row of rows) {
      const place = places[row.ordinal - 1] as number;
      found[place] = show(row, keys[place] as RecordKey);
    }
  };
  await read(['daily'], findDailyValues, showDailyValue);
  await read(['sleep', 'workout'], findSessions, (row, key) =>
    key.kind === 'sleep' ? showSleepSession(row as SleepShown) : showWorkout(row as WorkoutShown),
  );
  await read(['measurement'], findMeasurements, showMeasurement);
  await read(['series'], findSeries, showSeries);
  return found;
}
