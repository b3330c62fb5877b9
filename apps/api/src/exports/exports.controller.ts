import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findUser } from '@tributary/storage';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { exportPerson } from './export-person.js';

const exportLine = z
  .object({
    store: z.string().describe('The table, or `end` in the last line.'),
    row: z.record(z.string(), z.unknown()).optional(),
    counts: z.record(z.string(), z.int()).optional().describe('In the last line: rows of each table.'),
  })
  .meta({ id: 'UserExportLine' });

@ApiTags('Users')
@Controller('v1/users/:id/export')
export class ExportsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({
    summary: 'Export all that is held of a person, one row a line. Tokens and secrets are left out. The export is noted in the audit log.',
    description:
      'NDJSON: `{"store","row"}` for each row of each table, and at last `{"store":"end","counts"}`; without that line it is not whole.',
  })
  @ApiProduces('application/x-ndjson')
  @ApiOkResponse({ standardSchema: exportLine, description: 'Each line is one of these.' })
  async exportUser(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    await recordChange(this.context, caller, 'user.export', async (client) => {
      if ((await findUser(client, caller, userId)) === undefined) throw new Problem('not_found', 'There is no user of that id.');
      return { target: userId, result: undefined };
    });
    void reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .header('content-disposition', `attachment; filename="${userId}.ndjson"`)
      .header('cache-control', 'private, no-store');
    return Readable.from(exportPerson(this.context.pool, caller, userId), { objectMode: false });
  }
}
