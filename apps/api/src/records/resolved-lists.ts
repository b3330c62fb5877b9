import type { Resolved, ResolvedFilter, Sql } from '@tributary/storage';
import { z } from 'zod';
import { Pager } from '../answers/page.js';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { type resolution, showResolution } from './resolution.js';

const placeOfThree = z.tuple([z.string(), z.string(), z.string()]);

interface Query {
  readonly metric?: string | undefined;
  readonly provider?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly workoutId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface Row {
  readonly localDate: string;
}

/** Lists of the resolved view: in the shape of the sources' own, each entry with how it was picked. */
export class ResolvedLists {
  readonly #pager: Pager<[string, string, string]>;

  constructor(private readonly context: Pick<ApiContext, 'keys' | 'pool'>) {
    this.#pager = new Pager(context.keys, 'resolved', placeOfThree);
  }

  /** @param show an entry as the list of sources shows it. */
  async page<R extends Row, E>(
    caller: Caller,
    userId: string,
    { cursor, limit, metric, provider, sourceId, from, to, workoutId }: Query,
    { list, show }: { list: (sql: Sql, scope: Caller, filter: ResolvedFilter) => Promise<Resolved<R>[]>; show: (row: Resolved<R>) => E },
  ): Promise<{ data: (E & { resolution: z.infer<typeof resolution> })[]; nextCursor: string | null }> {
    // Samples of a workout belong to its session, of which the view picks one.
    if (workoutId !== undefined) return { data: [], nextCursor: null };
    const after = this.#pager.placeOf(caller, cursor);
    const filter = { userId, metric, provider, sourceId, from, to, after, limit: limit + 1 };
    const rows = await list(this.context.pool, caller, filter);
    return this.#pager.page(caller, rows, limit, {
      entry: (row) => ({ ...show(row), ...showResolution(row.resolution) }),
      place: (row) => [row.localDate, row.metric, row.item],
    });
  }
}
