import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findUser } from '@tributary/storage';
import { type FastifyReply } from 'fastify';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { type ChangesQuery, changePage, changesQuery } from './change.js';
import { ChangesFeed } from './changes-feed.js';

@ApiTags('Changes')
@Controller('v1/changes')
export class ChangesController implements BeforeApplicationShutdown {
  readonly #feed: ChangesFeed;
  /** Who waits is answered at once when the process ends. */
  readonly #ending = new AbortController();

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#feed = new ChangesFeed(context);
  }

  beforeApplicationShutdown(): void {
    this.#ending.abort();
  }

  @Get()
  @ApiOperation({
    summary: 'Read what changed, in the order of revisions: values, deletions, connections, erasures. No change is ever skipped.',
    description:
      'Follow `nextCursor` for ever. With `format=ndjson` (or `Accept: application/x-ndjson`) the answer is a stream of changes, one a line; among them stand lines `{"cursor":"…"}`: all changes before such a line are seen with it, and the last line is one.',
  })
  @ApiOkResponse({ standardSchema: changePage, description: 'Oldest change first.' })
  async listChanges(
    @TheCaller() caller: Caller,
    @Query({ schema: changesQuery }) query: ChangesQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    if (query.user !== undefined && (await findUser(this.context.pool, caller, query.user)) === undefined) {
      throw new Problem('not_found', 'There is no user of that id.');
    }
    if ((query.format ?? (accept?.includes('application/x-ndjson') ? 'ndjson' : 'json')) === 'ndjson')
      return this.#stream(caller, query, reply);
    const gone = new AbortController();
    const onClose = () => gone.abort();
    reply.raw.once('close', onClose);
    try {
      const changes = await this.#feed.read(caller, query, AbortSignal.any([gone.signal, this.#ending.signal]));
      void reply.header('content-type', 'application/json; charset=utf-8');
      return `{"data":[${changes.lines ?? ''}],"nextCursor":"${this.#feed.cursorAt(caller, changes.upto)}","hasMore":${changes.more}}`;
    } finally {
      reply.raw.off('close', onClose);
    }
  }

  /** The first slice is read before the answer begins, so that a cursor that will not do is still answered with its status. */
  async #stream(caller: Caller, query: ChangesQuery, reply: FastifyReply): Promise<Readable> {
    const slices = this.#feed.stream(caller, query);
    const first = await slices.next();
    void reply.header('content-type', 'application/x-ndjson; charset=utf-8');
    return Readable.from(
      (async function* () {
        if (first.done !== true) yield Buffer.from(first.value);
        for await (const slice of slices) yield Buffer.from(slice);
      })(),
      { objectMode: false, highWaterMark: 1_048_576 },
    );
  }
}
