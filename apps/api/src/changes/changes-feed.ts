import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@tributary/domain';
import { type ReadChanges, readChanges } from '@tributary/storage';
import { z } from 'zod';
import { Pager } from '../answers/page.js';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { ChangesQuery } from './change.js';

/** How often a reader who waits is looked for: one descent of an index. */
const LOOK_EVERY_MS = 400;
/** Events that one statement looks at for a filter. */
const SCAN = 5_000;
/** Changes that one statement of a stream makes; about one megabyte of text. */
const STREAM_SLICE = 2_000;

type Wish = Pick<ChangesQuery, 'type' | 'metric' | 'user' | 'view' | 'cursor' | 'start'>;

/** The feed behind its cursors: sealed for one environment, so nobody can make one, or take one elsewhere. */
export class ChangesFeed {
  readonly #pager: Pager<number>;

  constructor(private readonly context: Pick<ApiContext, 'keys' | 'pool' | 'now'>) {
    this.#pager = new Pager(context.keys, 'changes', z.int().min(0));
  }

  cursorAt(caller: Caller, revision: number): string {
    return this.#pager.cursorAt(caller, revision);
  }

  /** @returns changes after the cursor; waits for the first while `waitS` seconds last and `ended` is not aborted. */
  async read(caller: Caller, { limit, wait, ...wish }: ChangesQuery, ended: AbortSignal): Promise<ReadChanges> {
    const until = this.context.now() + wait * 1000;
    let after = this.#after(caller, wish);
    for (;;) {
      const changes = await this.#slice(caller, wish, after, { limit, separator: ',' });
      const left = until - this.context.now();
      if (changes.count > 0 || changes.more || left <= 0 || ended.aborted) return changes;
      after = changes.upto;
      await sleep(Math.min(LOOK_EVERY_MS, left), undefined, { signal: ended }).catch(() => undefined);
    }
  }

  /** Everything up to the moment of the call, slice by slice, each behind it with the cursor to go on from. */
  async *stream(caller: Caller, wish: Wish): AsyncGenerator<string> {
    const read = (after: number | undefined) => this.#slice(caller, wish, after, { limit: STREAM_SLICE, separator: '\n' });
    let reading = read(this.#after(caller, wish));
    let head: number | undefined;
    for (;;) {
      const { lines, upto, more, head: headNow } = await reading;
      head ??= headNow;
      // What came meanwhile is told too, as far as the last slice reached; the next call goes on there.
      const ended = !more || upto >= head;
      if (!ended) {
        // One slice ahead of the reader and no more: Postgres works on it while this one is on its way.
        reading = read(upto);
        // Looked at when its turn comes; a reader who has left by then looks at nothing.
        reading.catch(() => undefined);
      }
      yield `${lines === null ? '' : `${lines}\n`}{"cursor":"${this.cursorAt(caller, upto)}"}\n`;
      if (ended) return;
    }
  }

  /** Undefined: no cursor was given. @throws Problem `malformed_request` for a cursor that is not ours. */
  #after(caller: Caller, { cursor }: Wish): number | undefined {
    return this.#pager.placeOf(caller, cursor);
  }

  async #slice(
    caller: Caller,
    wish: Wish,
    after: number | undefined,
    { limit, separator }: { limit: number; separator: string },
  ): Promise<ReadChanges> {
    const filtered = wish.type !== undefined || wish.metric !== undefined;
    const fromNow = after === undefined && wish.start === 'now';
    const changes = await readChanges(this.context.pool, caller, {
      after: after ?? 0,
      userId: wish.user,
      types: wish.type,
      metric: wish.metric,
      view: wish.view,
      limit: fromNow ? 1 : limit,
      scan: fromNow ? 1 : filtered ? Math.max(SCAN, limit) : limit,
      separator,
    });
    if (fromNow) return { ...changes, upto: changes.head, count: 0, lines: null, more: false };
    if (after !== undefined && after < changes.floor) {
      throw new Problem(
        'cursor_expired',
        'Changes after this cursor were dropped for their age. Ask for a new cursor with "start=now", read all records once, then go on from that cursor.',
        [{ path: 'cursor', message: 'is older than what is kept' }],
      );
    }
    return changes;
  }
}
