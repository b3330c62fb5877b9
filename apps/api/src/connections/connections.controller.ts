import { Controller, Delete, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type ConnectionRow, findConnection, listConnections } from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { connection, connectionPage } from './connection.js';
import { disconnect } from './disconnect.js';

const listQuery = z.strictObject({ userId: idOf('usr').optional(), ...pageFields });

@ApiTags('Connections')
@Controller('v1/connections')
export class ConnectionsController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'connections', idOf('con'));
  }

  @Get()
  @ApiOperation({ summary: 'List connections.' })
  @ApiOkResponse({ standardSchema: connectionPage, description: 'Oldest first.' })
  async listConnections(
    @TheCaller() caller: Caller,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<z.infer<typeof connectionPage>> {
    const after = this.#pager.placeOf(caller, query.cursor) ?? '';
    const rows = await listConnections(this.context.pool, caller, { userId: query.userId, after, limit: query.limit + 1 });
    return this.#pager.page(caller, rows, query.limit, { entry: answer, place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a connection.' })
  @ApiOkResponse({ standardSchema: connection, description: 'The connection.' })
  async getConnection(@TheCaller() caller: Caller, @Param('id', { schema: idOf('con') }) id: string): Promise<z.infer<typeof connection>> {
    const row = await findConnection(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no connection of that id.');
    return answer(row);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'End the grant, here at once and at the provider soon after. What was read stays until the user is erased.' })
  @ApiOkResponse({ standardSchema: connection, description: 'The connection, now `disconnected`.' })
  async disconnect(@TheCaller() caller: Caller, @Param('id', { schema: idOf('con') }) id: string): Promise<z.infer<typeof connection>> {
    await disconnect(this.context, this.tickets, caller, id);
    return this.getConnection(caller, id);
  }
}

function answer(row: ConnectionRow): z.infer<typeof connection> {
  return {
    id: row.id,
    userId: row.userId,
    provider: row.provider,
    providerAppId: row.providerAppId,
    status: row.status,
    scopes: row.scopes,
    sweep: {
      lastSweptAt: row.sweeps.reduce<string | null>((last, { lastSweptAt: at }) => (last === null || at > last ? at : last), null),
      nextSweepAt: row.nextSweepAt?.toISOString() ?? null,
      collections: row.sweeps.map(({ collection, lastSweptAt }) => ({ collection, lastSweptAt })),
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
