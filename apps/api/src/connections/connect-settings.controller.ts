import { Body, Controller, Get, Inject, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { findReturnUrls, setReturnUrls } from '@tributary/storage';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { connectSettings } from './connection.js';

@ApiTags('Connections')
@Controller('v1/connect-settings')
export class ConnectSettingsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({ summary: 'Read where people may be sent back to.' })
  @ApiOkResponse({ standardSchema: connectSettings, description: 'The settings of this environment.' })
  async getConnectSettings(@TheCaller() caller: Caller): Promise<z.infer<typeof connectSettings>> {
    return { returnUrls: [...(await findReturnUrls(this.context.pool, caller))] };
  }

  @Put()
  @ApiOperation({ summary: 'Say where people may be sent back to. Links that were made before keep their address.' })
  @ApiOkResponse({ standardSchema: connectSettings, description: 'The settings as they are now.' })
  async putConnectSettings(
    @TheCaller() caller: Caller,
    @Body({ schema: connectSettings }) wish: z.infer<typeof connectSettings>,
  ): Promise<z.infer<typeof connectSettings>> {
    const returnUrls = [...new Set(wish.returnUrls)];
    return recordChange(this.context, caller, 'connect_settings.update', async (client) => {
      await setReturnUrls(client, caller, returnUrls);
      return { target: caller.tenantId, result: { returnUrls } };
    });
  }
}
