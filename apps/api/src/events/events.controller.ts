import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  type EventRow,
  findEndpoint,
  findEvent,
  listAttemptsOfEvent,
  listDeliveriesOfEvent,
  listEvents,
  lockEvents,
  replayEvent,
} from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { showAttempt } from '../attempts/show-attempt.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { attemptPage, attemptQuery, eventPage, eventQuery, eventShape, eventWithDeliveries, replayWish, replayed } from './event.js';

@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  readonly #pager: Pager<number>;
  readonly #attemptPager: Pager<[string, number]>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'events', z.int());
    this.#attemptPager = new Pager(context.keys, 'attempts', z.tuple([z.string(), z.int()]));
  }

  @Get()
  @ApiOperation({ summary: 'List events.' })
  @ApiOkResponse({ standardSchema: eventPage, description: 'Newest first.' })
  async listEvents(
    @TheCaller() caller: Caller,
    @Query({ schema: eventQuery }) query: z.infer<typeof eventQuery>,
  ): Promise<z.infer<typeof eventPage>> {
    const before = this.#pager.placeOf(caller, query.cursor);
    const rows = await listEvents(this.context.pool, caller, { type: query.type, before, limit: query.limit + 1 });
    return this.#pager.page(caller, rows, query.limit, { entry: showEvent, place: (row) => row.revision });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an event, and how far it got at each endpoint.' })
  @ApiOkResponse({ standardSchema: eventWithDeliveries, description: 'The event, and how far it got at each endpoint.' })
  async getEvent(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('evt') }) id: string,
  ): Promise<z.infer<typeof eventWithDeliveries>> {
    const row = await this.#find(caller, id);
    const deliveries = await listDeliveriesOfEvent(this.context.pool, caller, id);
    return {
      ...showEvent(row),
      deliveries: deliveries.map(({ endpointId, state, attempts, nextAttemptAt, endedAt }) => ({
        endpointId,
        state,
        attempts,
        nextAttemptAt: state === 'pending' ? nextAttemptAt.toISOString() : null,
        endedAt: endedAt?.toISOString() ?? null,
      })),
    };
  }

  @Get(':id/attempts')
  @ApiOperation({ summary: 'List the attempts to deliver an event.' })
  @ApiOkResponse({ standardSchema: attemptPage, description: 'By endpoint, then in order.' })
  async listAttempts(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('evt') }) id: string,
    @Query({ schema: attemptQuery }) query: z.infer<typeof attemptQuery>,
  ): Promise<z.infer<typeof attemptPage>> {
    await this.#find(caller, id);
    const after = this.#attemptPager.placeOf(caller, query.cursor);
    const rows = await listAttemptsOfEvent(this.context.pool, caller, { eventId: id, after, limit: query.limit + 1 });
    return this.#attemptPager.page(caller, rows, query.limit, { entry: showAttempt, place: (row) => [row.endpointId, row.n] });
  }

  @Post(':id/replay')
  @ApiOperation({ summary: 'Send an event again under its own id, also one that was delivered, or was never owed to the endpoint named.' })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: replayed, description: 'On its way.' })
  async replayEvent(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('evt') }) id: string,
    @Body({ schema: replayWish }) wish: z.infer<typeof replayWish>,
  ): Promise<z.infer<typeof replayed>> {
    if (wish.endpointId !== undefined) {
      const endpoint = await findEndpoint(this.context.pool, caller, wish.endpointId);
      if (endpoint === undefined)
        throw new Problem('not_found', 'There is no endpoint of that id.', [{ path: 'endpointId', message: 'names no endpoint' }]);
      if (endpoint.status === 'disabled') throw new Problem('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
    }
    const concerned = await recordChange(this.context, caller, 'event.replay', async (client) => {
      await lockEvents(client, caller, [id]);
      const event = await findEvent(client, caller, id);
      if (event === undefined) throw gone();
      if (event.data === null) throw new Problem('gone', 'The event named a person who was erased; there is nothing left to send.');
      return { target: id, result: await replayEvent(client, caller, id, wish.endpointId) };
    });
    const at = (again: boolean) => concerned.filter((one) => one.again === again).map(({ endpointId }) => endpointId);
    await this.tickets.deliver(caller, at(true));
    return { eventId: id, endpointIds: at(true), underWay: at(false) };
  }

  async #find(caller: Caller, id: string): Promise<EventRow> {
    const row = await findEvent(this.context.pool, caller, id);
    if (row === undefined) throw gone();
    return row;
  }
}

function gone(): Problem {
  return new Problem('not_found', 'There is no event of that id.');
}

function showEvent(row: EventRow): z.infer<typeof eventShape> {
  return {
    id: row.id,
    type: row.type,
    revision: row.revision,
    occurredAt: row.occurredAt.toISOString(),
    data: row.data === null ? null : (JSON.parse(row.data.toString('utf8')) as Record<string, unknown>),
  };
}
