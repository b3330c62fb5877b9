import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findUser, listDailyValues, listSleepSessions } from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { dailyQuery, dailyValuePage, sleepQuery, sleepSessionPage } from './record.js';
import { showDailyValue, showSleepSession } from './show-record.js';

@ApiTags('Records')
@Controller('v1/users/:id')
export class RecordsController {
  readonly #dailyPager: Pager<[string, string, string, string]>;
  readonly #sleepPager: Pager<[string, string]>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#dailyPager = new Pager(context.keys, 'daily', z.tuple([z.string(), z.string(), z.string(), z.string()]));
    this.#sleepPager = new Pager(context.keys, 'sleep', z.tuple([z.string(), z.string()]));
  }

  @Get('daily')
  @ApiOperation({ summary: 'Read daily values: one for each metric, day and source. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: dailyValuePage, description: 'Oldest day first.' })
  async listDaily(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: dailyQuery }) query: z.infer<typeof dailyQuery>,
  ): Promise<z.infer<typeof dailyValuePage>> {
    const { cursor, limit, metric, provider, sourceId, from, to } = query;
    await this.#check(caller, userId, query);
    const after = this.#dailyPager.placeOf(caller, cursor);
    const rows = await listDailyValues(this.context.pool, caller, {
      userId,
      metric,
      provider,
      sourceId,
      from,
      to,
      after,
      limit: limit + 1,
    });
    return this.#dailyPager.page(caller, rows, limit, {
      entry: showDailyValue,
      place: (row) => [row.localDate, row.metric, row.provider, row.sourceId],
    });
  }

  @Get('sleep')
  @ApiOperation({ summary: 'Read nights and naps, by the day of waking. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: sleepSessionPage, description: 'Oldest night first.' })
  async listSleep(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: sleepQuery }) query: z.infer<typeof sleepQuery>,
  ): Promise<z.infer<typeof sleepSessionPage>> {
    const { cursor, limit, provider, sourceId, from, to } = query;
    await this.#check(caller, userId, query);
    const after = this.#sleepPager.placeOf(caller, cursor);
    const rows = await listSleepSessions(this.context.pool, caller, { userId, provider, sourceId, from, to, after, limit: limit + 1 });
    return this.#sleepPager.page(caller, rows, limit, { entry: showSleepSession, place: (row) => [row.localDate, row.recordId] });
  }

  async #check(caller: Caller, userId: string, { from, to }: { from?: string | undefined; to?: string | undefined }): Promise<void> {
    if (from !== undefined && to !== undefined && from > to) {
      throw new Problem('validation_failed', 'The days are the wrong way round; see "faults".', [
        { path: 'to', message: 'is before "from"' },
      ]);
    }
    if ((await findUser(this.context.pool, caller, userId)) === undefined) throw new Problem('not_found', 'There is no user of that id.');
  }
}
