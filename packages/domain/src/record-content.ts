import { canonicalJson } from './canonical-json.js';
import type { DailyRecord, SleepRecord } from './record.js';

/**
 * What of a record counts as its content: two reads with the same text are the same to a customer. Left out: the key (it is the same
 * row), the provider's id of the document (it may be made anew for the same day) and the version.
 */
export function recordContent(record: DailyRecord | SleepRecord): string {
  const { source, localDate, dateBasis, dayModel, utcOffsetS, provisional } = record;
  const dated = { source, localDate, dateBasis, dayModel, utcOffsetS, provisional };
  return record.kind === 'daily'
    ? canonicalJson({ ...dated, value: record.value })
    : canonicalJson({ ...dated, start: record.start, end: record.end, endUtcOffsetS: record.endUtcOffsetS, detail: record.detail });
}
