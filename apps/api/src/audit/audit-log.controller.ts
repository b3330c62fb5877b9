import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuditRow, listAuditEntries } from '@tributary/storage';
import { z } from 'zod';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { type auditEntry, auditPage, auditQuery } from './audit-entry.js';

@ApiTags('Audit log')
@Controller('v1/audit-log')
export class AuditLogController {
  readonly #pager: Pager<[string, string]>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#pager = new Pager(context.keys, 'audit-log', z.tuple([z.string(), z.string()]));
  }

  @Get()
  @ApiOperation({ summary: 'Read who changed what. What was done to a person who was erased is not told any more.' })
  @ApiOkResponse({ standardSchema: auditPage, description: 'Newest first.' })
  async listAuditLog(
    @TheCaller() caller: Caller,
    @Query({ schema: auditQuery }) query: z.infer<typeof auditQuery>,
  ): Promise<z.infer<typeof auditPage>> {
    const { action, actor, target, from, to, limit } = query;
    const before = this.#pager.placeOf(caller, query.cursor);
    const rows = await listAuditEntries(this.context.pool, caller, { action, actor, target, from, to, before, limit: limit + 1 });
    return this.#pager.page(caller, rows, limit, { entry: answer, place: (row) => [row.place, row.id] });
  }
}

function answer({ id, at, actor, action, target, requestId }: AuditRow): z.infer<typeof auditEntry> {
  return { id, at: at.toISOString(), actor, action, target, requestId };
}
