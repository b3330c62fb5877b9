import { Problem, type Scope, scopeKey } from '@tributary/domain';
import type { KeyRing } from '@tributary/service-shell';
import { z } from 'zod';

/** The part of a query that pages. */
export const pageFields = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Entries on a page.'),
  cursor: z.string().min(1).max(2_000).optional().describe('`nextCursor` of the page before, unchanged.'),
};

export const pageOf = <S extends z.ZodType>(entry: S) =>
  z.object({
    data: z.array(entry),
    nextCursor: z.string().nullable().describe('Null: this was the last page.'),
  });

/**
 * Cursors are sealed for one list of one environment: opaque, and not to be made or moved by anyone but us.
 * @typeParam P what tells where a page ended
 */
export class Pager<P> {
  constructor(
    private readonly keys: KeyRing,
    private readonly list: string,
    private readonly place: z.ZodType<P>,
  ) {}

  /** @throws Problem `malformed_request` for a cursor that is not ours, or of another list. */
  placeOf(scope: Scope, cursor: string | undefined): P | undefined {
    if (cursor === undefined) return undefined;
    try {
      return this.place.parse(JSON.parse(this.keys.open(Buffer.from(cursor, 'base64url'), this.#context(scope))));
    } catch {
      throw new Problem(
        'malformed_request',
        'The cursor is not one of this list. Pass on "nextCursor" unchanged, or leave it out to begin anew.',
        [{ path: 'cursor', message: 'is not a cursor of this list' }],
      );
    }
  }

  cursorAt(scope: Scope, place: P): string {
    return this.keys.seal(JSON.stringify(place), this.#context(scope)).toString('base64url');
  }

  /** @param rows one more than `limit` when there is a next page. */
  page<R, E>(
    scope: Scope,
    rows: readonly R[],
    limit: number,
    of: { entry: (row: R) => E; place: (row: R) => P },
  ): { data: E[]; nextCursor: string | null } {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      data: shown.map(of.entry),
      nextCursor: rows.length > limit && last !== undefined ? this.cursorAt(scope, of.place(last)) : null,
    };
  }

  #context(scope: Scope): string {
    return `cursor:${scopeKey(scope)}:${this.list}`;
  }
}
