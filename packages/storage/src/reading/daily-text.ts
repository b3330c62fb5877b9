import type { Source } from '@tributary/domain';
import type { DailyValueRow } from './daily-value-row.js';

/** Stands between fields; in JSON it is always escaped, and in all but the last field there is no text of others. */
const BETWEEN = '\u001f';
const FIELDS = 17;

/**
 * `select` list of one column that holds a whole daily value: for a page of them, taking seventeen columns apart costs twice what all the rest of
 * the reading does, here and in Postgres. The provider's own name of a source may hold any character, so it comes last.
 */
export const dailyText = `concat(user_id, e'\\x1f', connection_id, e'\\x1f', provider, e'\\x1f', local_date, e'\\x1f', source, e'\\x1f', date_basis, e'\\x1f',
        day_model, e'\\x1f', utc_offset_s, e'\\x1f', provisional or unsettled, e'\\x1f', version, e'\\x1f', inferred, e'\\x1f', revision, e'\\x1f', metric,
        e'\\x1f', value, e'\\x1f', unit, e'\\x1f', implausible, e'\\x1f', source_id) as row`;

/** What {@link dailyText} says. Values that follow each other with the same source share the object of it. @throws when it is another text. */
export function dailyValuesOf(texts: readonly { readonly row: string }[]): DailyValueRow[] {
  let sourceText = '';
  let source: Source | undefined;
  return texts.map(({ row }) => {
    const fields = row.split(BETWEEN);
    if (fields.length < FIELDS) throw new Error('A daily value has too few fields');
    // By place: sixteen names in one pattern would go through an iterator.
    const at = (place: number) => fields[place] as string;
    if (source === undefined || at(4) !== sourceText) {
      sourceText = at(4);
      source = JSON.parse(sourceText) as Source;
    }
    return {
      userId: at(0),
      connectionId: at(1),
      provider: at(2),
      sourceId: fields.length === FIELDS ? at(16) : fields.slice(16).join(BETWEEN),
      localDate: at(3),
      source,
      dateBasis: at(5),
      dayModel: at(6),
      utcOffsetS: at(7) === '' ? null : Number(at(7)),
      provisional: at(8) === 't',
      version: Number(at(9)),
      inferred: at(10) === 't',
      revision: Number(at(11)),
      metric: at(12),
      value: Number(at(13)),
      unit: at(14),
      implausible: at(15) === 't',
    };
  });
}
