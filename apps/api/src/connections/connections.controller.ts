import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findConnection, listConnections } from '@tributary/storage';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { connectSession, connection, connectionPage, newReauthLink, refreshed } from './connection.js';
import { disconnect } from './disconnect.js';
import { makeConnectLink } from './make-connect-link.js';
import { refreshNow } from './refresh-now.js';
import { showConnection } from './show-connection.js';

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
    return this.#pager.page(caller, rows, query.limit, { entry: showConnection, place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a connection.' })
  @ApiOkResponse({ standardSchema: connection, description: 'The connection.' })
  async getConnection(@TheCaller() caller: Caller, @Param('id', { schema: idOf('con') }) id: string): Promise<z.infer<typeof connection>> {
    const row = await findConnection(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no connection of that id.');
    return showConnection(row);
  }

  @Post(':id/reauth-link')
  @ApiOperation({ summary: 'A link to the hosted page for a new consent to one connection, which keeps its id and all that was read.' })
  @ApiCreatedResponse({ standardSchema: connectSession, description: 'Where to send the person.' })
  async createReauthLink(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('con') }) id: string,
    @Body({ schema: newReauthLink }) { returnUrl, language }: z.infer<typeof newReauthLink>,
  ): Promise<z.infer<typeof connectSession>> {
    const { userId, provider } = await this.getConnection(caller, id);
    const { url, ...made } = await recordChange(this.context, caller, 'connection.reauth_link', async (client) => {
      const link = await makeConnectLink(this.context, client, caller, { userId, providers: [provider], returnUrl, language });
      return { target: link.id, result: link };
    });
    return { id: made.id, userId, url, authorizeUrl: null, expiresAt: made.expiresAt.toISOString() };
  }

  @Post(':id/refresh')
  @HttpCode(202)
  @ApiOperation({ summary: 'Read the last days again now. Once a minute at most: what changes is told by webhooks anyway.' })
  @ApiAcceptedResponse({ standardSchema: refreshed, description: 'What is read as soon as the worker comes to it.' })
  async refreshConnection(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('con') }) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.infer<typeof refreshed>> {
    const planned = await refreshNow(this.context, this.tickets, caller, id);
    if (!('waitMs' in planned)) return { ...planned, collections: [...planned.collections] };
    const seconds = Math.ceil(planned.waitMs / 1000);
    void reply.header('retry-after', String(seconds));
    throw new Problem('too_many_requests', `This connection was refreshed less than a minute ago. Ask again in ${seconds} s.`);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'End the grant, here at once and at the provider soon after. What was read stays until the user is erased.' })
  @ApiOkResponse({ standardSchema: connection, description: 'The connection, now `disconnected`.' })
  async disconnect(@TheCaller() caller: Caller, @Param('id', { schema: idOf('con') }) id: string): Promise<z.infer<typeof connection>> {
    await disconnect(this.context, this.tickets, caller, id);
    return this.getConnection(caller, id);
  }
}
