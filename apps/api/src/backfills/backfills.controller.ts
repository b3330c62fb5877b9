import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { backfillCompleted } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  announceEvent,
  drawRevisions,
  endBackfill,
  findBackfill,
  findConnection,
  findRunningBackfill,
  listBackfills,
  lockConnection,
} from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { backfill, backfillPage, backfillQuery, newBackfill } from './backfill.js';
import { beginBackfill } from './begin-backfill.js';
import { planRequest } from './plan-request.js';
import { showBackfill } from './show-backfill.js';

@ApiTags('Backfills')
@Controller('v1')
export class BackfillsController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'backfills', idOf('bf'));
  }

  @Post('connections/:id/backfills')
  @ApiOperation({
    summary: 'Read the past of a connection: the newest days first, beside and behind what is live. Ends in one `backfill.completed`.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: backfill, description: 'It runs. One runs for a connection at a time; another is refused.' })
  async createBackfill(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('con') }) connectionId: string,
    @Body({ schema: newBackfill }) wish: z.infer<typeof newBackfill>,
  ): Promise<z.infer<typeof backfill>> {
    const { pool, providers, now } = this.context;
    const found = await findConnection(pool, caller, connectionId);
    if (found === undefined) throw new Problem('not_found', 'There is no connection of that id.');
    const provider = providers.get(found.provider);
    if (provider === undefined) throw new Problem('conflict', 'This installation does not know the provider of the connection.');
    const plan = planRequest(wish, provider, { scopes: found.scopes, now: now() });
    const begun = await recordChange(this.context, caller, 'backfill.create', async (client) => {
      const held = await lockConnection(client, caller, connectionId);
      if (held === undefined) throw new Problem('not_found', 'There is no connection of that id.');
      if (held.status === 'disconnected' || held.status === 'revoked')
        throw new Problem('conflict', 'The connection has ended. The person has to connect again first.');
      const running = await findRunningBackfill(client, caller, connectionId);
      if (running !== undefined)
        throw new Problem('conflict', `Backfill ${running} of this connection is running. Wait for its end, or cancel it.`);
      const { tenantId, environment } = caller;
      const made = await beginBackfill(client, {
        ...{ tenantId, environment, connectionId, userId: held.userId, provider: held.provider, cause: 'request' },
        ...plan,
      });
      return { target: made.id, result: made };
    });
    await this.tickets.fetch(caller, begun.lanes);
    return this.getBackfill(caller, begun.id);
  }

  @Get('backfills')
  @ApiOperation({ summary: 'List backfills, with how far each one is.' })
  @ApiOkResponse({ standardSchema: backfillPage, description: 'Newest first.' })
  async listBackfills(
    @TheCaller() caller: Caller,
    @Query({ schema: backfillQuery }) { connectionId, state, cursor, limit }: z.infer<typeof backfillQuery>,
  ): Promise<z.infer<typeof backfillPage>> {
    const before = this.#pager.placeOf(caller, cursor);
    const rows = await listBackfills(this.context.pool, caller, { connectionId, state, before, limit: limit + 1 });
    const now = this.context.now();
    return this.#pager.page(caller, rows, limit, { entry: (row) => showBackfill(row, now), place: (row) => row.id });
  }

  @Get('backfills/:id')
  @ApiOperation({ summary: 'Read how far a backfill is.' })
  @ApiOkResponse({ standardSchema: backfill, description: 'The backfill, collection by collection.' })
  async getBackfill(@TheCaller() caller: Caller, @Param('id', { schema: idOf('bf') }) id: string): Promise<z.infer<typeof backfill>> {
    const row = await findBackfill(this.context.pool, caller, id);
    if (row === undefined) throw gone();
    return showBackfill(row, this.context.now());
  }

  @Post('backfills/:id/cancel')
  @ApiOperation({ summary: 'Stop a backfill. What was read stays.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: backfill, description: 'The backfill, now `cancelled`; one that had ended stays as it was.' })
  async cancelBackfill(@TheCaller() caller: Caller, @Param('id', { schema: idOf('bf') }) id: string): Promise<z.infer<typeof backfill>> {
    const endpoints = await recordChange(this.context, caller, 'backfill.cancel', async (client) => {
      const revision = await drawRevisions(client, caller, 1);
      if (!(await endBackfill(client, caller, id, 'cancelled'))) return { target: undefined, result: [] };
      const ended = await findBackfill(client, caller, id);
      if (ended === undefined) throw gone();
      const told = await announceEvent(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id: newId('evt'),
        type: 'backfill.completed',
        revision,
        userId: ended.userId,
        provider: ended.provider,
        data: backfillCompleted(ended, 'cancelled', { endedAt: ended.endedAt ?? new Date(this.context.now()), revision }),
      });
      return { target: id, result: told };
    });
    await this.tickets.deliver(caller, endpoints);
    return this.getBackfill(caller, id);
  }
}

function gone(): Problem {
  return new Problem('not_found', 'There is no backfill of that id.');
}
