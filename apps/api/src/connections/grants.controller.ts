import { Body, Controller, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { newId } from '@tributary/service-shell';
import { type HeldGrant, inTransaction, insertAuditEntry, listGrants } from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { problemOf } from '../answers/problem-of.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { type exportedGrant, exportedGrants, grantExport, grantImport, type importOutcome, importOutcomes } from './grant.js';
import { importGrant } from './import-grant.js';

/** Moving in and out: grants that a customer has already, and all that they have here. */
@ApiTags('Connections')
@Controller('v1/connections')
export class GrantsController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'grants', idOf('con'));
  }

  @Post('import')
  @HttpCode(200)
  @ApiOperation({ summary: 'Take over grants that you have already. Safe to repeat; each entry succeeds or fails by itself.' })
  @ApiOkResponse({ standardSchema: importOutcomes, description: 'One outcome for each entry, in their order.' })
  async importConnections(
    @TheCaller() caller: Caller,
    @Body({ schema: grantImport }) { connections, verify }: z.infer<typeof grantImport>,
  ): Promise<z.infer<typeof importOutcomes>> {
    const data: z.infer<typeof importOutcome>[] = [];
    for (const [index, wish] of connections.entries()) {
      try {
        data.push({ index, ...(await importGrant(this.context, this.tickets, caller, { wish, verify })), code: null, detail: null });
      } catch (error) {
        const problem = problemOf(error);
        if (problem.code === 'internal') this.context.log.error({ what: 'import.failed', requestId: caller.requestId, index, err: error });
        data.push({ index, status: 'refused', userId: null, connectionId: null, code: problem.code, detail: problem.message });
      }
    }
    return { data };
  }

  @Post('export')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary:
      'All grants with their tokens, so that you can move elsewhere. Each one that is shown is written down in the audit log. We go on refreshing them: disable the provider app before you move.',
  })
  @ApiOkResponse({ standardSchema: exportedGrants, description: 'Oldest connection first.' })
  async exportConnections(
    @TheCaller() caller: Caller,
    @Body({ schema: grantExport }) { cursor, limit }: z.infer<typeof grantExport>,
  ): Promise<z.infer<typeof exportedGrants>> {
    const after = this.#pager.placeOf(caller, cursor) ?? '';
    const rows = await inTransaction(this.context.pool, async (client) => {
      const found = await listGrants(client, caller, after, limit + 1);
      for (const { id } of found.slice(0, limit)) {
        const { tenantId, environment, actor, requestId } = caller;
        await insertAuditEntry(client, {
          tenantId,
          environment,
          id: newId('aud'),
          actor,
          action: 'connection.export',
          target: id,
          requestId,
        });
      }
      return found;
    });
    return this.#pager.page(caller, rows, limit, { entry: (row) => this.#open(row), place: (row) => row.id });
  }

  #open(row: HeldGrant): z.infer<typeof exportedGrant> {
    const { keys } = this.context;
    return {
      connectionId: row.id,
      userExternalId: row.externalId,
      provider: row.provider,
      clientId: row.clientId,
      subjectId: row.subjectId,
      status: row.status,
      scopes: row.scopes,
      accessToken: keys.open(row.accessToken, `connection:${row.id}:access`),
      refreshToken: row.refreshToken === null ? null : keys.open(row.refreshToken, `connection:${row.id}:refresh`),
      expiresAt: row.tokenExpiresAt?.toISOString() ?? null,
    };
  }
}
