import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type Sql,
  deletePriority,
  drawRevisions,
  findUser,
  holdPeople,
  insertRenewal,
  readPriorities,
  savePriority,
} from '@tributary/storage';
import type { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { metricOfList, newSourcePriority, showPriority, sourcePriority, sourcePriorityList } from './source-priority.js';

type Wish = z.infer<typeof newSourcePriority>;
type Shown = z.infer<typeof sourcePriority>;

/** Days that a changed list judges anew; older ones keep what was picked, until a source changes. */
const RENEWED_DAYS = 30;

const renewal = `The last ${RENEWED_DAYS} days of the resolved view are judged anew.`;

@ApiTags('Source priorities')
@Controller('v1')
export class SourcePrioritiesController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get('source-priorities')
  @ApiOperation({ summary: 'Read which sources the resolved view prefers, for every user without a list of their own.' })
  @ApiOkResponse({ standardSchema: sourcePriorityList, description: 'One for each metric that has one.' })
  async listSourcePriorities(@TheCaller() caller: Caller): Promise<z.infer<typeof sourcePriorityList>> {
    return { data: (await readPriorities(this.context.pool, caller, [])).map(showPriority) };
  }

  @Put('source-priorities/:metric')
  @ApiOperation({ summary: `Say which sources of a metric to prefer. ${renewal}` })
  @ApiOkResponse({ standardSchema: sourcePriority, description: 'The list as it is now.' })
  putSourcePriority(
    @TheCaller() caller: Caller,
    @Param('metric', { schema: metricOfList }) metric: string,
    @Body({ schema: newSourcePriority }) wish: Wish,
  ): Promise<Shown> {
    return this.#save(caller, { userId: undefined, metric }, wish);
  }

  @Delete('source-priorities/:metric')
  @ApiOperation({ summary: `Go back to the order of kinds of device. ${renewal}` })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'There is no list.' })
  deleteSourcePriority(@TheCaller() caller: Caller, @Param('metric', { schema: metricOfList }) metric: string): Promise<void> {
    return this.#delete(caller, { userId: undefined, metric });
  }

  @Get('users/:id/source-priorities')
  @ApiOperation({ summary: "Read a user's own lists; the tenant's stand behind them." })
  @ApiOkResponse({ standardSchema: sourcePriorityList, description: 'One for each metric that has one.' })
  async listUserSourcePriorities(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
  ): Promise<z.infer<typeof sourcePriorityList>> {
    if ((await findUser(this.context.pool, caller, userId)) === undefined) throw noUser();
    const lists = await readPriorities(this.context.pool, caller, [userId]);
    return { data: lists.filter((list) => list.userId === userId).map(showPriority) };
  }

  @Put('users/:id/source-priorities/:metric')
  @ApiOperation({ summary: `Say which sources of a metric to prefer for one user, before what the tenant prefers. ${renewal}` })
  @ApiOkResponse({ standardSchema: sourcePriority, description: 'The list as it is now.' })
  putUserSourcePriority(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Param('metric', { schema: metricOfList }) metric: string,
    @Body({ schema: newSourcePriority }) wish: Wish,
  ): Promise<Shown> {
    return this.#save(caller, { userId, metric }, wish);
  }

  @Delete('users/:id/source-priorities/:metric')
  @ApiOperation({ summary: `Go back to what the tenant prefers. ${renewal}` })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'There is no list of this user.' })
  deleteUserSourcePriority(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Param('metric', { schema: metricOfList }) metric: string,
  ): Promise<void> {
    return this.#delete(caller, { userId, metric });
  }

  #save(caller: Caller, list: { userId: string | undefined; metric: string }, { entries }: Wish): Promise<Shown> {
    return recordChange(this.context, caller, 'source_priority.save', async (client) => {
      await this.#renew(client, caller, list);
      return { target: list.userId ?? list.metric, result: showPriority(await savePriority(client, caller, { ...list, entries })) };
    });
  }

  #delete(caller: Caller, list: { userId: string | undefined; metric: string }): Promise<void> {
    return recordChange(this.context, caller, 'source_priority.delete', async (client) => {
      await this.#renew(client, caller, list);
      const deleted = await deletePriority(client, caller, list);
      if (!deleted) throw new Problem('not_found', 'There is no list of that metric.');
      return { target: list.userId ?? list.metric, result: undefined };
    });
  }

  /** First the counter, then the person, as everywhere: an erasure comes before us or after. */
  async #renew(sql: Sql, caller: Caller, { userId, metric }: { userId: string | undefined; metric: string }): Promise<void> {
    await drawRevisions(sql, caller, 1);
    if (userId !== undefined && !(await holdPeople(sql, caller, [userId])).has(userId)) throw noUser();
    await insertRenewal(sql, caller, { id: newId('ren'), userId, metric, days: RENEWED_DAYS });
  }
}

function noUser(): Problem {
  return new Problem('not_found', 'There is no user of that id.');
}
