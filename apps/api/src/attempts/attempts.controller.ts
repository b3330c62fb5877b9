import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type AttemptPlace, findEndpoint, findEvent, searchAttempts } from '@tributary/storage';
import { z } from 'zod';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { attemptSearch, foundAttemptPage } from './attempt.js';
import { showFoundAttempt } from './show-attempt.js';

@ApiTags('Attempts')
@Controller('v1/attempts')
export class AttemptsController {
  readonly #pager: Pager<AttemptPlace>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#pager = new Pager(context.keys, 'found-attempts', z.tuple([z.int(), z.string(), z.string(), z.int()]));
  }

  @Get()
  @ApiOperation({ summary: 'Search the attempts of the last thirty days.' })
  @ApiOkResponse({ standardSchema: foundAttemptPage, description: 'Newest first.' })
  async searchAttempts(
    @TheCaller() caller: Caller,
    @Query({ schema: attemptSearch }) query: z.infer<typeof attemptSearch>,
  ): Promise<z.infer<typeof foundAttemptPage>> {
    const { endpointId, eventId, statusClass, outcome, limit } = query;
    const after = this.#pager.placeOf(caller, query.cursor);
    const { pool } = this.context;
    if (endpointId !== undefined && (await findEndpoint(pool, caller, endpointId)) === undefined)
      throw new Problem('not_found', 'There is no endpoint of that id.', [{ path: 'endpointId', message: 'names no endpoint' }]);
    if (eventId !== undefined && (await findEvent(pool, caller, eventId)) === undefined)
      throw new Problem('not_found', 'There is no event of that id.', [{ path: 'eventId', message: 'names no event' }]);
    const [from, to] = [query.from, query.to].map((time) => (time === undefined ? undefined : new Date(time)));
    const rows = await searchAttempts(pool, caller, { endpointId, eventId, statusClass, outcome, from, to, after, limit: limit + 1 });
    return this.#pager.page(caller, rows, limit, {
      entry: showFoundAttempt,
      place: (row) => [row.startedUs, row.eventId, row.endpointId, row.n],
    });
  }
}
