import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  type ShownProviderApp,
  type Sql,
  countGrantsOfApp,
  deleteProviderApp,
  findProviderApp,
  listProviderAppSecrets,
  updateProviderApp,
} from '@tributary/storage';
import type { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { checkProviderApp } from './check-provider-app.js';
import { providerApp, providerAppPatch, providerAppSecrets, providerAppTest } from './provider-app.js';
import { showProviderApp } from './show-provider-app.js';

/** What an app needs after it was made. */
@ApiTags('Provider apps')
@Controller('v1/provider-apps')
export class ProviderAppCareController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Patch(':id')
  @ApiOperation({ summary: 'Change a provider app, or take it out of use.' })
  @ApiOkResponse({ standardSchema: providerApp, description: 'The app as it is now.' })
  async updateProviderApp(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
    @Body({ schema: providerAppPatch }) { toleranceS, acceptsCarried, disabled }: z.infer<typeof providerAppPatch>,
  ): Promise<z.infer<typeof providerApp>> {
    const toleranceMs = toleranceS === undefined ? undefined : toleranceS * 1000;
    const row = await recordChange(this.context, caller, 'provider_app.update', async (client) => {
      if (!(await updateProviderApp(client, caller, id, { toleranceMs, acceptsCarried, disabled }))) throw gone();
      return { target: id, result: await this.#find(client, caller, id) };
    });
    const { publicApiUrl, providers } = this.context;
    return showProviderApp(row, providers.get(row.provider), { publicApiUrl, webhookUrl: this.#webhookUrl(row) });
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a provider app that nobody is or was connected through. Disable it otherwise.' })
  @ApiNoContentResponse({ description: 'Gone, with its secrets.' })
  async deleteProviderApp(@TheCaller() caller: Caller, @Param('id', { schema: idOf('app') }) id: string): Promise<void> {
    await recordChange(this.context, caller, 'provider_app.delete', async (client) => {
      const held = await countGrantsOfApp(client, caller, id);
      if (held === undefined) throw gone();
      if (held.connections + held.revocations > 0) {
        throw new Problem(
          'conflict',
          `${held.connections} connections and ${held.revocations} grants that are to be ended at the provider still need this app. Erase these users or wait, or disable the app instead.`,
        );
      }
      await deleteProviderApp(client, caller, id);
      return { target: id, result: undefined };
    });
  }

  @Get(':id/secrets')
  @ApiOperation({ summary: 'List the secrets of an app: which there are and until when they are good, never what they are.' })
  @ApiOkResponse({ standardSchema: providerAppSecrets, description: 'Newest first.' })
  async listProviderAppSecrets(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
  ): Promise<z.infer<typeof providerAppSecrets>> {
    await this.#find(this.context.pool, caller, id);
    const rows = await listProviderAppSecrets(this.context.pool, caller, id);
    return {
      data: rows.map(({ id: secretId, purpose, live, createdAt, retiresAt }) => ({
        id: secretId,
        purpose,
        live,
        createdAt: createdAt.toISOString(),
        retiresAt: retiresAt?.toISOString() ?? null,
      })),
    };
  }

  @Post(':id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ask the provider whether it takes the credentials of an app, and tell in words what is wrong. Changes nothing.',
  })
  @ApiOkResponse({ standardSchema: providerAppTest, description: 'What was found, check by check.' })
  async testProviderApp(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
  ): Promise<z.infer<typeof providerAppTest>> {
    const app = await this.#find(this.context.pool, caller, id);
    const found = await checkProviderApp(this.context, caller, app, this.#webhookUrl(app));
    return recordChange(this.context, caller, 'provider_app.test', async () => ({ target: id, result: found }));
  }

  async #find(sql: Sql, caller: Caller, id: string): Promise<ShownProviderApp> {
    const row = await findProviderApp(sql, caller, id);
    if (row === undefined) throw gone();
    return row;
  }

  #webhookUrl({ provider, appKey }: ShownProviderApp): string {
    return `${this.context.publicIngestUrl}/in/${provider}/${appKey}`;
  }
}

function gone(): Problem {
  return new Problem('not_found', 'There is no provider app of that id.');
}
