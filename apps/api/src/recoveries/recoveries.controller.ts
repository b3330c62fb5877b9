import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type RecoveryWish, endRecovery, findRecovery, listRecoveries } from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { beginRecovery } from './begin-recovery.js';
import { begunRecovery, newRecovery, recoverWish, recovery, recoveryPage, recoveryQuery, replayMissingWish } from './recovery.js';
import { showRecovery } from './show-recovery.js';

@ApiTags('Recoveries')
@Controller('v1')
export class RecoveriesController {
  readonly #pager: Pager<string>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#pager = new Pager(context.keys, 'recoveries', idOf('rcv'));
  }

  @Post('endpoints/:id/recover')
  @ApiOperation({ summary: 'Send again to this endpoint what failed or was cancelled, of events that occurred since then.' })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: begunRecovery, description: 'It runs, at a pace that leaves room for what is new.' })
  recoverEndpoint(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: recoverWish }) span: z.infer<typeof recoverWish>,
  ): Promise<z.infer<typeof begunRecovery>> {
    return this.#begin(caller, { ...this.#ofEndpoint(id, span), kind: 'recover', states: ['failed', 'cancelled'], byFilters: false });
  }

  @Post('endpoints/:id/replay-missing')
  @ApiOperation({
    summary:
      'Send to this endpoint all that it would be owed by its filters of today and that was not delivered: also from before it existed, or while it was disabled.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: begunRecovery, description: 'It runs, at a pace that leaves room for what is new.' })
  replayMissing(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: replayMissingWish }) span: z.infer<typeof replayMissingWish>,
  ): Promise<z.infer<typeof begunRecovery>> {
    const states = ['failed', 'cancelled', 'missing'] as const;
    return this.#begin(caller, { ...this.#ofEndpoint(id, span), kind: 'replay_missing', states, byFilters: true });
  }

  @Post('recoveries')
  @ApiOperation({ summary: 'Send again, under their own ids, all events that match; or count them.' })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: begunRecovery, description: 'It runs, or was counted.' })
  createRecovery(
    @TheCaller() caller: Caller,
    @Body({ schema: newRecovery }) { types, from, to, dryRun, ...filter }: z.infer<typeof newRecovery>,
  ): Promise<z.infer<typeof begunRecovery>> {
    const { endpointId, userIds, providers, metrics, states } = filter;
    const span = { from: new Date(from ?? 0), to: to === undefined ? this.#now() : new Date(to) };
    const wish = { kind: 'replay', endpointId, eventTypes: types, userIds, providers, metrics, states, byFilters: false, ...span } as const;
    return this.#begin(caller, wish, dryRun);
  }

  @Get('recoveries')
  @ApiOperation({ summary: 'List recoveries, with how far each one is.' })
  @ApiOkResponse({ standardSchema: recoveryPage, description: 'Newest first.' })
  async listRecoveries(
    @TheCaller() caller: Caller,
    @Query({ schema: recoveryQuery }) { endpointId, state, cursor, limit }: z.infer<typeof recoveryQuery>,
  ): Promise<z.infer<typeof recoveryPage>> {
    const before = this.#pager.placeOf(caller, cursor);
    const rows = await listRecoveries(this.context.pool, caller, { endpointId, state, before, limit: limit + 1 });
    const now = this.context.now();
    return this.#pager.page(caller, rows, limit, { entry: (row) => showRecovery(row, now), place: (row) => row.id });
  }

  @Get('recoveries/:id')
  @ApiOperation({ summary: 'Read how far a recovery is.' })
  @ApiOkResponse({ standardSchema: recovery, description: 'The recovery.' })
  async getRecovery(@TheCaller() caller: Caller, @Param('id', { schema: idOf('rcv') }) id: string): Promise<z.infer<typeof recovery>> {
    const row = await findRecovery(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no recovery of that id.');
    return showRecovery(row, this.context.now());
  }

  @Post('recoveries/:id/cancel')
  @ApiOperation({ summary: 'Stop a recovery. What it made due goes out; give that up with cancel-pending of the endpoint.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: recovery, description: 'The recovery, now `cancelled`; one that had ended stays as it was.' })
  async cancelRecovery(@TheCaller() caller: Caller, @Param('id', { schema: idOf('rcv') }) id: string): Promise<z.infer<typeof recovery>> {
    await recordChange(this.context, caller, 'recovery.cancel', async (client) => ({
      target: (await endRecovery(client, caller, id, 'cancelled')) ? id : undefined,
      result: undefined,
    }));
    return this.getRecovery(caller, id);
  }

  async #begin(caller: Caller, wish: RecoveryWish, dryRun = false): Promise<z.infer<typeof begunRecovery>> {
    const { total, id } = await beginRecovery(this.context, caller, wish, dryRun);
    return { dryRun, total, recovery: id === undefined ? null : await this.getRecovery(caller, id) };
  }

  #ofEndpoint(endpointId: string, { since, until }: z.infer<typeof recoverWish>) {
    const all = { eventTypes: undefined, userIds: undefined, providers: undefined, metrics: undefined };
    return { endpointId, ...all, from: new Date(since), to: until === undefined ? this.#now() : new Date(until) };
  }

  #now(): Date {
    return new Date(this.context.now());
  }
}
