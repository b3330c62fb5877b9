import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findTenant } from '@tributary/storage';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { tenant } from './tenant.js';

@ApiTags('Tenant')
@Controller('v1/tenant')
export class TenantController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({ summary: 'Read whose key this is: the organisation, and the environment with its settings.' })
  @ApiOkResponse({ standardSchema: tenant, description: 'The organisation.' })
  async getTenant(@TheCaller() caller: Caller): Promise<z.infer<typeof tenant>> {
    const row = await findTenant(this.context.pool, caller);
    if (row === undefined) throw new Problem('not_found', 'The organisation of this key is not there any more.');
    const { debounceMs, maxWaitMs, sweepIntervalS, sweepDays, backfillDays } = row;
    return {
      id: row.id,
      name: row.name,
      createdAt: row.createdAt.toISOString(),
      environments: [{ name: caller.environment, debounceMs, maxWaitMs, sweepIntervalS, sweepDays, backfillDays }],
    };
  }
}
