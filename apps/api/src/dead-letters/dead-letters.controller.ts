import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  type DeadLetterRow,
  countReplayable,
  discardDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  summariseDeadLetters,
} from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { deadLetter, deadLetterPage, deadLetterQuery, deadLetterSummary, replayAnswer, replayWish } from './dead-letter.js';
import { showDeadLetter, showSummary } from './show-dead-letter.js';

/** Dead letters that one call replays. */
const MOST = 10_000;

@ApiTags('Dead letters')
@Controller('v1/dead-letters')
export class DeadLettersController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'dead-letters', idOf('dl'));
  }

  @Get()
  @ApiOperation({ summary: 'List windows that could not be refreshed.' })
  @ApiOkResponse({ standardSchema: deadLetterPage, description: 'Newest first.' })
  async listDeadLetters(
    @TheCaller() caller: Caller,
    @Query({ schema: deadLetterQuery }) query: z.infer<typeof deadLetterQuery>,
  ): Promise<z.infer<typeof deadLetterPage>> {
    const { state, limit, cursor, ...filter } = query;
    const before = this.#pager.placeOf(caller, cursor);
    const rows = await listDeadLetters(this.context.pool, caller, filter, { state, before, limit: limit + 1 });
    return this.#pager.page(caller, rows, limit, { entry: showDeadLetter, place: (row) => row.id });
  }

  @Get('summary')
  @ApiOperation({ summary: 'Count who looks at a wrong day.' })
  @ApiOkResponse({ standardSchema: deadLetterSummary, description: 'What is open now.' })
  async summariseDeadLetters(@TheCaller() caller: Caller): Promise<z.infer<typeof deadLetterSummary>> {
    return showSummary(await summariseDeadLetters(this.context.pool, caller));
  }

  @Post('replay')
  @ApiOperation({
    summary: 'Read the windows of many dead letters again: those of `transient` and `drift`. Spread, and behind what is live.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: replayAnswer, description: 'What is read again, and what is left as it is.' })
  async replayDeadLetters(
    @TheCaller() caller: Caller,
    @Body({ schema: replayWish }) wish: z.infer<typeof replayWish>,
  ): Promise<z.infer<typeof replayAnswer>> {
    const { dryRun, openedBefore, ...given } = wish;
    if (given.bucket === 'unresolvable') throw neverReplayed();
    const filter = { ...given, openedBefore: openedBefore === undefined ? undefined : new Date(openedBefore) };
    const counted = await countReplayable(this.context.pool, caller, filter);
    const { matched, replayable, unresolvable, withoutWindow, connectionEnded } = counted;
    const left = { unresolvable, withoutWindow, connectionEnded };
    if (dryRun) {
      const replayed = Math.min(replayable, MOST);
      return { dryRun, matched, replayed, remaining: replayable - replayed, left };
    }
    const done = await recordChange(this.context, caller, 'dead_letter.replay', async (client) => {
      const result = await replayDeadLetters(client, caller, filter, MOST);
      return { target: result.replayed === 0 ? undefined : `${result.replayed} dead letters`, result };
    });
    await this.tickets.fetch(caller, done.lanes);
    return { dryRun, matched, replayed: done.replayed, remaining: Math.max(replayable - done.replayed, 0), left };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a dead letter.' })
  @ApiOkResponse({ standardSchema: deadLetter, description: 'The dead letter.' })
  async getDeadLetter(@TheCaller() caller: Caller, @Param('id', { schema: idOf('dl') }) id: string): Promise<z.infer<typeof deadLetter>> {
    return showDeadLetter(await this.#find(caller, id));
  }

  @Post(':id/replay')
  @ApiOperation({ summary: 'Read the window of a dead letter again.' })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: deadLetter, description: 'It stays open until its window could be read.' })
  async replayDeadLetter(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('dl') }) id: string,
  ): Promise<z.infer<typeof deadLetter>> {
    const letter = await this.#find(caller, id);
    if (letter.closedAt !== null) throw new Problem('conflict', `The dead letter is closed: ${letter.closeReason}.`);
    if (letter.bucket === 'unresolvable') throw neverReplayed();
    if (letter.connectionId === null || letter.collection === null)
      throw new Problem(
        'not_replayable',
        'The delivery could not be read at all and its body is not kept, so there is nothing to read again. A sweep finds what it told of; discard it.',
      );
    const { lanes } = await recordChange(this.context, caller, 'dead_letter.replay', async (client) => {
      const result = await replayDeadLetters(client, caller, { id }, 1);
      if (result.replayed === 0) throw new Problem('conflict', 'The connection has ended, or the dead letter was closed at this moment.');
      return { target: id, result };
    });
    await this.tickets.fetch(caller, lanes);
    return this.getDeadLetter(caller, id);
  }

  @Post(':id/discard')
  @ApiOperation({ summary: 'Close a dead letter without reading its window again. What we hold stays as it is.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: deadLetter, description: 'The dead letter, now closed; one that was closed stays as it was.' })
  async discardDeadLetter(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('dl') }) id: string,
  ): Promise<z.infer<typeof deadLetter>> {
    await recordChange(this.context, caller, 'dead_letter.discard', async (client) => {
      const discarded = await discardDeadLetter(client, caller, id);
      return { target: discarded ? id : undefined, result: undefined };
    });
    return this.getDeadLetter(caller, id);
  }

  async #find(caller: Caller, id: string): Promise<DeadLetterRow> {
    const [row] = await listDeadLetters(this.context.pool, caller, { id }, { state: 'all', before: undefined, limit: 1 });
    if (row === undefined) throw new Problem('not_found', 'There is no dead letter of that id.');
    return row;
  }
}

function neverReplayed(): Problem {
  return new Problem(
    'not_replayable',
    'Another read would end the same way: it lacks a permission, or a person has to decide. Mend that, or discard the dead letter.',
  );
}
