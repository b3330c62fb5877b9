import { Body, Controller, Get, Inject, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { findRetention, saveRetention } from '@tributary/storage';
import { z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';

const fields = {
  bodyDays: z
    .int()
    .min(1)
    .max(27)
    .describe('Days that the verified bodies of webhooks are kept. What they were about is known for longer, so that a repeat is one.'),
  eventDays: z
    .int()
    .min(7)
    .max(400)
    .describe(
      'Days that events, their deliveries and attempts are kept: how far back a replay and a cursor of the changes feed reach. Attempts are kept for 30 days at the most; with 29 to 31 days here, events stay up to two days longer, until those are gone.',
    ),
  recordDays: z
    .int()
    .min(30)
    .max(36_500)
    .nullable()
    .describe('Days that records are kept, counted from their civil date; null: until the person is erased. Their end is no event.'),
};

export const retention = z.object(fields).meta({ id: 'Retention' });
export const retentionPatch = z
  .strictObject({
    bodyDays: fields.bodyDays.optional(),
    eventDays: fields.eventDays.optional(),
    recordDays: fields.recordDays.optional(),
  })
  .meta({ id: 'RetentionPatch' });

@ApiTags('Environment')
@Controller('v1/environment/retention')
export class RetentionController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({ summary: 'Read how long this environment keeps what.' })
  @ApiOkResponse({ standardSchema: retention, description: 'The settings.' })
  getRetention(@TheCaller() caller: Caller): Promise<z.infer<typeof retention>> {
    return findRetention(this.context.pool, caller);
  }

  @Patch()
  @ApiOperation({
    summary: 'Say how long this environment keeps what. What is past its days goes within the hour, and does not come back.',
  })
  @ApiOkResponse({ standardSchema: retention, description: 'The settings as they are now.' })
  updateRetention(
    @TheCaller() caller: Caller,
    @Body({ schema: retentionPatch }) change: z.infer<typeof retentionPatch>,
  ): Promise<z.infer<typeof retention>> {
    return recordChange(this.context, caller, 'retention.update', async (client) => ({
      target: caller.environment,
      result: await saveRetention(client, caller, change),
    }));
  }
}
