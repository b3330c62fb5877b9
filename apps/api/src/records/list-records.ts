import { Readable } from 'node:stream';
import { Problem } from '@tributary/domain';
import { findUser, readReach } from '@tributary/storage';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Pager } from '../answers/page.js';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { etagOfList, holds } from './etag.js';
import type { ListSource, ListedRow as Row, RecordList } from './record-list.js';
import { type ListedKind, recordLists } from './record-lists.js';
import { type RecordQuery, formatOf } from './record-query.js';
import { type EntryWriter, ndjsonWriter } from './write-entries.js';

/** What a list is asked for, and by whom. */
interface Asked {
  readonly caller: Caller;
  /** Undefined: everybody's. */
  readonly userId: string | undefined;
  readonly query: RecordQuery;
}

/** Answers every list of records: a page of JSON with its ETag, or a stream of CSV or NDJSON. */
export class ListRecords {
  readonly #pagers = new Map<string, Pager<string[]>>();

  constructor(private readonly context: Pick<ApiContext, 'keys' | 'pool'>) {}

  async answer(kind: ListedKind, asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { query } = asked;
    if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
      throw new Problem('validation_failed', 'The days are the wrong way round; see "faults".', [
        { path: 'to', message: 'is before "from"' },
      ]);
    }
    await requireRevision(this.context, asked.caller, query);
    const list: RecordList = recordLists[kind];
    const format = formatOf(query.format, request.headers.accept);
    void reply.header('vary', 'Accept, Authorization').header('cache-control', 'private, no-cache');
    if (format === 'json') return this.#page(list[query.view], asked, request, reply);
    const writer = format === 'csv' ? list.csv[query.view] : ndjsonWriter;
    return this.#stream(list[query.view], asked, writer, { slice: list.slice, reply });
  }

  async #page(source: ListSource<Row>, asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { caller, query } = asked;
    const rows = await this.#rows(source, asked, this.#pager(source).placeOf(caller, query.cursor), query.limit + 1);
    const shown = rows.slice(0, query.limit);
    const data = `[${this.#write(source, asked, shown).join(',')}]`;
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
    const etag = etagOfList(
      `${data}${last === undefined}`,
      shown.map((row) => row.revision),
    );
    void reply.header('etag', etag);
    if (holds(request.headers['if-none-match'], etag)) {
      void reply.status(304);
      return undefined;
    }
    void reply.header('content-type', 'application/json; charset=utf-8');
    const next = last === undefined ? 'null' : `"${this.#pager(source).cursorAt(caller, source.place(last))}"`;
    return `{"data":${data},"nextCursor":${next}}`;
  }

  /** Slice by slice, each read when the last one was taken: a slow reader holds one slice, and no connection to the database. */
  async #stream(
    source: ListSource<Row>,
    asked: Asked,
    writer: EntryWriter,
    { slice, reply }: { slice: number; reply: FastifyReply },
  ): Promise<Readable> {
    const { caller, query } = asked;
    const read = (after: readonly string[] | undefined) => this.#rows(source, asked, after, slice);
    const entry = (row: Row) => this.#entry(source, asked, row);
    // Before the answer begins, so that what is wrong with the question still gets its status.
    let rows = await read(this.#pager(source).placeOf(caller, query.cursor));
    void reply.header('content-type', writer.contentType);
    return Readable.from(
      (async function* () {
        for (let first = true; ; first = false) {
          const text = writer.page(rows.map(entry), first);
          if (text !== '') yield Buffer.from(text);
          const last = rows.length < slice ? undefined : rows.at(-1);
          if (last === undefined) return;
          rows = await read(source.place(last));
        }
      })(),
      { objectMode: false },
    );
  }

  /** Nothing is asked about the user where there are rows of theirs. @throws Problem `not_found` when there is no such user. */
  async #rows(source: ListSource<Row>, asked: Asked, after: readonly string[] | undefined, limit: number): Promise<Row[]> {
    const { caller, userId, query } = asked;
    const { metric, provider, sourceId, from, to, workoutId } = query;
    // Samples of a workout belong to its session, of which the view picks one.
    const none = query.view === 'resolved' && workoutId !== undefined;
    const filter = { userId, metric, provider, sourceId, from, to, workoutId, after, limit };
    const rows = none ? [] : await source.list(this.context.pool, caller, filter);
    if (rows.length === 0 && userId !== undefined && (await findUser(this.context.pool, caller, userId)) === undefined) {
      throw new Problem('not_found', 'There is no user of that id.');
    }
    return rows;
  }

  #entry(source: ListSource<Row>, { userId }: Asked, row: Row): object {
    return userId === undefined ? { userId: row.userId, ...source.show(row) } : source.show(row);
  }

  #write(source: ListSource<Row>, { userId }: Asked, rows: readonly Row[]): string[] {
    const texts = source.write?.(rows) ?? rows.map((row) => JSON.stringify(source.show(row)));
    if (userId !== undefined) return texts;
    return texts.map((text, n) => `{"userId":${JSON.stringify(rows[n]?.userId)},${text.slice(1)}`);
  }

  #pager(source: ListSource<Row>): Pager<string[]> {
    const known = this.#pagers.get(source.name);
    if (known !== undefined) return known;
    const pager = new Pager(this.context.keys, source.name, z.array(z.string()).length(source.places));
    this.#pagers.set(source.name, pager);
    return pager;
  }
}

/**
 * What was told to the caller is committed, so it is here; unless a copy of the database answers that lags behind, or the view has not come
 * to it yet. @throws Problem `revision_not_reached`: to be asked again.
 */
export async function requireRevision(
  { pool }: Pick<ApiContext, 'pool'>,
  caller: Caller,
  { minRevision, view }: Pick<RecordQuery, 'minRevision' | 'view'>,
): Promise<void> {
  if (minRevision === undefined) return;
  const { head, resolved } = await readReach(pool, caller);
  const reached = view === 'resolved' ? Math.min(head, resolved) : head;
  if (reached >= minRevision) return;
  throw new Problem(
    'revision_not_reached',
    `What can be read here has come to revision ${reached}, not yet to ${minRevision}. Ask again in a second.`,
    [{ path: 'minRevision', message: 'is higher than what is here' }],
  );
}
