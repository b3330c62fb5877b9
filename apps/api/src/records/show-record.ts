import { showSeries as show } from '@tributary/handoffs';
import type { SeriesShown } from '@tributary/storage';
import type { z } from 'zod';
import type { series } from './record.js';

/** The forms of records; events of the resolved view are made by the same functions, in another process. */
export { showDailyValue, showMeasurement, showResolvedDaily, showSleepSession, showWorkout } from '@tributary/handoffs';

export function showSeries(row: SeriesShown): z.infer<typeof series> {
  return show(row);
}
