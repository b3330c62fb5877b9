import { canonicalJson } from './canonical-json.js';
import type { StoredRecord } from './health-record.js';

/**
 * What of a record counts as its content: two reads with the same text are the same to a customer. Left out: the key (it is the same
 * row), the provider's id of the document (it may be made anew for the same day) and the version.
 */
export function recordContent(record: StoredRecord): string {
  const { source, localDate, dateBasis, dayModel, utcOffsetS, provisional } = record;
  const dated = { source, localDate, dateBasis, dayModel, utcOffsetS, provisional, ...content(record) };
  // Seen again on another day it is the same value still.
  const undated = record.kind === 'measurement' && record.undated;
  return canonicalJson(undated ? { ...dated, localDate: undefined, instant: undefined } : dated);
}

function content(record: StoredRecord): object {
  switch (record.kind) {
    case 'daily':
      return { value: record.value };
    case 'sleep':
    case 'workout':
      return { start: record.start, end: record.end, endUtcOffsetS: record.endUtcOffsetS, detail: record.detail };
    case 'measurement': {
      const { instant, value, parts, undated, manual, ambiguous } = record;
      return undated ? { localDate: undefined, value, parts, undated, manual, ambiguous } : { instant, value, parts, manual, ambiguous };
    }
    case 'series':
      return { samples: record.samples };
  }
}
