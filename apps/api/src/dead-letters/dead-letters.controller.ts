import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type DeadLetterRow, listDeadLetters, summariseDeadLetters } from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { type deadLetter, deadLetterPage, deadLetterQuery, deadLetterSummary } from './dead-letter.js';

@ApiTags('Dead letters')
@Controller('v1/dead-letters')
export class DeadLettersController {
  readonly #pager: Pager<string>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#pager = new Pager(context.keys, 'dead-letters', idOf('dl'));
  }

  @Get()
  @ApiOperation({ summary: 'List windows that could not be refreshed.' })
  @ApiOkResponse({ standardSchema: deadLetterPage, description: 'Newest first.' })
  async listDeadLetters(
    @TheCaller() caller: Caller,
    @Query({ schema: deadLetterQuery }) query: z.infer<typeof deadLetterQuery>,
  ): Promise<z.infer<typeof deadLetterPage>> {
    const { state, bucket, userId, limit } = query;
    const before = this.#pager.placeOf(caller, query.cursor);
    const rows = await listDeadLetters(this.context.pool, caller, { state, bucket, userId, before, limit: limit + 1 });
    return this.#pager.page(caller, rows, limit, { entry: answer, place: (row) => row.id });
  }

  @Get('summary')
  @ApiOperation({ summary: 'Count who looks at a wrong day.' })
  @ApiOkResponse({ standardSchema: deadLetterSummary, description: 'What is open now.' })
  async summariseDeadLetters(@TheCaller() caller: Caller): Promise<z.infer<typeof deadLetterSummary>> {
    const { usersAffected, open, transient, drift, unresolvable } = await summariseDeadLetters(this.context.pool, caller);
    return { usersAffected, open, byBucket: { transient, drift, unresolvable } };
  }
}

function answer(row: DeadLetterRow): z.infer<typeof deadLetter> {
  const { windowKind: kind, windowStart: start, windowEnd: end } = row;
  return {
    id: row.id,
    provider: row.provider,
    providerAppId: row.providerAppId,
    userId: row.userId,
    connectionId: row.connectionId,
    collection: row.collection,
    window: kind === null || start === null || end === null ? null : { kind, start, end },
    bucket: row.bucket,
    code: row.code,
    detail: row.detail,
    openedAt: row.openedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
    closeReason: row.closeReason,
  };
}
