import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordQuery } from '../records/record-key.js';
import { keyOf } from '../records/record-keys.controller.js';
import { explainRecord } from './explain-record.js';
import { type Explanation, explanation } from './explanation.js';

const explainQuery = recordQuery.omit({ minRevision: true });

@ApiTags('Records')
@Controller('v1/records/explain')
export class ExplainController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({
    summary: 'Why is a value what it is? From the event that told it back to the reads, the webhooks and the hash of their bodies.',
    description: 'The key is that of GET /v1/records. Deleted records are explained too. No value, token or body is shown.',
  })
  @ApiOkResponse({ standardSchema: explanation, description: 'What led to it, as far back as it is kept.' })
  async explainRecord(
    @TheCaller() caller: Caller,
    @Query({ schema: explainQuery }) query: z.infer<typeof explainQuery>,
  ): Promise<Explanation> {
    const found = await explainRecord(this.context.pool, caller, keyOf(query));
    if (found === undefined) throw new Problem('not_found', 'There is no record of that key, and there was none.');
    return found;
  }
}
