import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { countAttempts, findEndpoint, readBacklog } from '@tributary/storage';
import type { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { endpointStats, statsQuery, statsWindow } from './endpoint-stats.js';
import { showEndpointStats } from './show-endpoint-stats.js';

/** Of a longer queue nobody needs to know how long it is. */
const COUNT_PENDING = 10_000;

@ApiTags('Endpoints')
@Controller('v1/endpoints')
export class EndpointStatsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get(':id/stats')
  @ApiOperation({ summary: 'Count the attempts at an endpoint by hour or day, and what it is still owed.' })
  @ApiOkResponse({ standardSchema: endpointStats, description: 'Counted at this moment.' })
  async endpointStats(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Query({ schema: statsQuery }) query: z.infer<typeof statsQuery>,
  ): Promise<z.infer<typeof endpointStats>> {
    const { pool, now } = this.context;
    const window = statsWindow(query, now());
    if ('fault' in window)
      throw new Problem('validation_failed', 'One field is not usable; see "faults".', [{ path: 'from', message: window.fault }]);
    const endpoint = await findEndpoint(pool, caller, id);
    if (endpoint === undefined) throw new Problem('not_found', 'There is no endpoint of that id.');
    const of = { tenantId: caller.tenantId, environment: caller.environment, endpointId: id };
    const counted = await countAttempts(pool, { ...of, slot: window.slot, from: new Date(window.from), to: new Date(window.to) });
    return showEndpointStats(window, counted, await readBacklog(pool, of, COUNT_PENDING), endpoint);
  }
}
