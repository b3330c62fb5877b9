import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { cancelPending, findEndpoint, lockEvents, scrubToldErasures } from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { cancelledPending, pendingFilter } from './recovery.js';

/** Given up by one call: a bound on how long its transaction is. */
const AT_ONCE = 5_000;

@ApiTags('Recoveries')
@Controller('v1/endpoints')
export class PendingController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Post(':id/cancel-pending')
  @ApiOperation({ summary: 'Give up what waits for an endpoint; what is being sent at this moment goes on. It can be recovered later.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: cancelledPending, description: 'How many were given up.' })
  async cancelPending(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: pendingFilter }) { types, userIds, providers, metrics, from, to }: z.infer<typeof pendingFilter>,
  ): Promise<z.infer<typeof cancelledPending>> {
    if ((await findEndpoint(this.context.pool, caller, id)) === undefined)
      throw new Problem('not_found', 'There is no endpoint of that id.');
    const cancelled = await recordChange(this.context, caller, 'endpoint.cancel_pending', async (client) => {
      const events = await cancelPending(client, caller, {
        endpointId: id,
        eventTypes: types,
        userIds,
        providers,
        metrics,
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
        limit: AT_ONCE,
      });
      await lockEvents(client, caller, events);
      await scrubToldErasures(client, caller, events);
      return { target: events.length > 0 ? id : undefined, result: events.length };
    });
    return { cancelled, more: cancelled === AT_ONCE };
  }
}
