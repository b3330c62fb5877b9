import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem, grantCollection } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type UserRow,
  findUser,
  findUserByExternalId,
  insertUser,
  listUsers,
  openStandingWindows,
  setFallbackZone,
} from '@tributary/storage';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { idOf, text } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { eraseUser } from '../erasures/erase-user.js';
import { receipt } from '../erasures/erasure.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { newUser, user, userPage, userPatch } from './user.js';

const listQuery = z.strictObject({ externalId: text(255).optional().describe('Only the one that has this id of yours.'), ...pageFields });

@ApiTags('Users')
@Controller('v1/users')
export class UsersController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'users', idOf('usr'));
  }

  @Post()
  @ApiOperation({ summary: 'Create a user, or find the one that has the external id.' })
  @ApiCreatedResponse({ standardSchema: user, description: 'The new user.' })
  @ApiOkResponse({ standardSchema: user, description: 'The user that has this external id already; nothing was changed.' })
  async createUser(
    @TheCaller() caller: Caller,
    @Body({ schema: newUser }) wish: z.infer<typeof newUser>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.infer<typeof user>> {
    // An erasure between the insert that finds the name taken and the search can free it: then once more.
    for (let tries = 0; tries < 3; tries += 1) {
      const existing = await findUserByExternalId(this.context.pool, caller, wish.externalId);
      if (existing !== undefined) {
        void reply.status(200);
        return answer(existing);
      }
      const made = await this.#insert(caller, wish);
      if (made !== undefined) return answer(made);
    }
    throw new Problem('conflict', 'Others make and erase this user at the same moment. Try again.');
  }

  @Get()
  @ApiOperation({ summary: 'List users.' })
  @ApiOkResponse({ standardSchema: userPage, description: 'Oldest first.' })
  async listUsers(
    @TheCaller() caller: Caller,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<z.infer<typeof userPage>> {
    if (query.externalId !== undefined) {
      const row = await findUserByExternalId(this.context.pool, caller, query.externalId);
      return { data: row === undefined ? [] : [answer(row)], nextCursor: null };
    }
    const rows = await listUsers(this.context.pool, caller, this.#pager.placeOf(caller, query.cursor) ?? '', query.limit + 1);
    return this.#pager.page(caller, rows, query.limit, { entry: answer, place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a user.' })
  @ApiOkResponse({ standardSchema: user, description: 'The user.' })
  async getUser(@TheCaller() caller: Caller, @Param('id', { schema: idOf('usr') }) id: string): Promise<z.infer<typeof user>> {
    const row = await findUser(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no user of that id.');
    return answer(row);
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Say where the person is, for records that tell no zone. Records whose day rests on an earlier answer, or on none, move.',
  })
  @ApiOkResponse({ standardSchema: user, description: 'The user as it is now; records move as soon as the worker comes to it.' })
  async updateUser(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) id: string,
    @Body({ schema: userPatch }) { fallbackZone }: z.infer<typeof userPatch>,
  ): Promise<z.infer<typeof user>> {
    const { row, lanes } = await recordChange(this.context, caller, 'user.update', async (client) => {
      const changed = await setFallbackZone(client, caller, id, fallbackZone);
      const due = changed === undefined ? [] : await openStandingWindows(client, caller, id, grantCollection);
      return { target: changed?.id, result: { row: changed, lanes: due } };
    });
    if (row === undefined) throw new Problem('not_found', 'There is no user of that id.');
    await this.tickets.fetch(caller, lanes);
    return answer(row);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Erase the person: every row about them, and their grants at the providers. Late webhooks do not bring them back.',
  })
  @ApiOkResponse({ standardSchema: receipt, description: 'Done; the receipt names no person.' })
  async eraseUser(@TheCaller() caller: Caller, @Param('id', { schema: idOf('usr') }) id: string): Promise<z.infer<typeof receipt>> {
    return eraseUser(this.context, this.tickets, caller, id);
  }

  #insert(caller: Caller, wish: z.infer<typeof newUser>): Promise<UserRow | undefined> {
    return recordChange(this.context, caller, 'user.create', async (client) => {
      const row = await insertUser(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id: newId('usr'),
        externalId: wish.externalId,
        fallbackZone: wish.fallbackZone,
      });
      return { target: row?.id, result: row };
    });
  }
}

function answer(row: UserRow): z.infer<typeof user> {
  return { id: row.id, externalId: row.externalId, fallbackZone: row.fallbackZone, createdAt: row.createdAt.toISOString() };
}
