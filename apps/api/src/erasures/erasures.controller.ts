import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { findErasure } from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { receipt, receiptOf } from './erasure.js';

@ApiTags('Erasures')
@Controller('v1/erasures')
export class ErasuresController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get(':id')
  @ApiOperation({ summary: 'Read the receipt of an erasure.' })
  @ApiOkResponse({ standardSchema: receipt, description: 'The receipt.' })
  async getErasure(@TheCaller() caller: Caller, @Param('id', { schema: idOf('era') }) id: string): Promise<z.infer<typeof receipt>> {
    const row = await findErasure(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no erasure of that id.');
    return receiptOf(row);
  }
}
