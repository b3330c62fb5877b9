import { Body, Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findErasure, findUserByExternalId } from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { eraseUser } from './erase-user.js';
import { newErasure, receipt, receiptOf } from './erasure.js';

@ApiTags('Erasures')
@Controller('v1/erasures')
export class ErasuresController {
  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {}

  @Post()
  @ApiOperation({
    summary:
      'Erase a person by our id or by yours: every row about them, and their grants at the providers. Late webhooks do not bring them back.',
    description:
      'As DELETE /v1/users/{id}. Send an `Idempotency-Key`: a repeat then answers the same receipt, though nothing tells us of the person any more.',
  })
  @ApiCreatedResponse({ standardSchema: receipt, description: 'Done; the receipt names no person.' })
  async createErasure(
    @TheCaller() caller: Caller,
    @Body({ schema: newErasure }) { userId, externalId }: z.infer<typeof newErasure>,
  ): Promise<z.infer<typeof receipt>> {
    const id = userId ?? (await findUserByExternalId(this.context.pool, caller, externalId as string))?.id;
    if (id === undefined) throw new Problem('not_found', 'There is no user of that external id (any more).');
    return eraseUser(this.context, this.tickets, caller, id);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read the receipt of an erasure.' })
  @ApiOkResponse({ standardSchema: receipt, description: 'The receipt.' })
  async getErasure(@TheCaller() caller: Caller, @Param('id', { schema: idOf('era') }) id: string): Promise<z.infer<typeof receipt>> {
    const row = await findErasure(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no erasure of that id.');
    return receiptOf(row);
  }
}
