import type { Scope } from '@tributary/domain';

/** Which records a list is about. */
export interface RecordFilter {
  /** Undefined: everybody's. */
  readonly userId: string | undefined;
  readonly metric: string | undefined;
  readonly provider: string | undefined;
  readonly sourceId: string | undefined;
  /** Both inclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Where the last page ended: a value for each column of the list's order. */
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

/** The part of a statement that narrows, orders and pages. */
export interface RecordConditions {
  /** For the name of the statement: another text is another statement. */
  readonly mark: string;
  /** From `where` to `limit`. */
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Only what was asked for stands in the text: a plan that is kept for all values of `$4 is null or metric = $4` cannot use an index for
 * it, and one that is made anew for each call costs more than the reading.
 * @param order columns in which the list is ordered, a unique key together
 * @param more further conditions, without a value where none is asked for
 */
export function recordConditions(
  { tenantId, environment }: Scope,
  filter: Omit<RecordFilter, 'metric'> & { readonly metric?: string | undefined },
  order: readonly string[],
  more: Readonly<Record<string, string | undefined>> = {},
): RecordConditions {
  const values: unknown[] = [tenantId, environment];
  const asked: string[] = [];
  const wishes: Readonly<Record<string, string | undefined>> = {
    'user_id =': filter.userId,
    'metric =': filter.metric,
    'provider =': filter.provider,
    'source_id =': filter.sourceId,
    'local_date >=': filter.from,
    'local_date <=': filter.to,
    ...more,
  };
  let mark = '';
  for (const [condition, value] of Object.entries(wishes)) {
    mark += value === undefined ? '-' : '+';
    if (value !== undefined) asked.push(`and ${condition} $${values.push(value)}`);
  }
  mark += filter.after === undefined ? '-' : '+';
  if (filter.after !== undefined) {
    const places = order.map((_, n) => `$${values.length + n + 1}`);
    values.push(...order.map((_, n) => filter.after?.[n] ?? null));
    asked.push(`and (${order.join(', ')}) > (${places.join(', ')})`);
  }
  values.push(filter.limit);
  return {
    mark,
    text: `where tenant_id = $1 and environment = $2 and not deleted
        ${asked.join('\n        ')}
      order by ${order.join(', ')}
      limit $${values.length}`,
    values,
  };
}
