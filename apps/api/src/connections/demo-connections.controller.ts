import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findConnection } from '@tributary/storage';
import { z } from 'zod';
import { text } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { connection, userFields } from './connection.js';
import { connectDemo } from './demo-connection.js';
import { findOrMakeUser } from './find-or-make-user.js';
import { showConnection } from './show-connection.js';

const newDemoConnection = z
  .strictObject({ ...userFields, provider: text(64).default('oura').describe('`oura` or `strava`.') })
  .meta({ id: 'NewDemoConnection' });

@ApiTags('Connections')
@Controller('v1/connections/demo')
export class DemoConnectionsController {
  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Connect a user to a made-up person of the sandbox, without any account: two weeks of data arrive as real. Only in `test`.',
  })
  @ApiCreatedResponse({ standardSchema: connection, description: 'The connection; its data comes as soon as the worker has read it.' })
  async createDemoConnection(
    @TheCaller() caller: Caller,
    @Body({ schema: newDemoConnection }) wish: z.infer<typeof newDemoConnection>,
  ): Promise<z.infer<typeof connection>> {
    if (caller.environment !== 'test')
      throw new Problem('conflict', 'Demo connections are made in the test environment alone; use a trb_test_ key.');
    const user = await findOrMakeUser(this.context, caller, wish);
    const id = await connectDemo(this.context, this.tickets, caller, { userId: user.id, provider: wish.provider });
    const row = await findConnection(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'The user was erased meanwhile.');
    return showConnection(row);
  }
}
