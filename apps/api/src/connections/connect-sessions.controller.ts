import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { chooseProviderApp, listConnectable } from '@tributary/storage';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { type PreparedConsent, prepareConsent, storeConsent } from '../connect-pages/begin-consent.js';
import { recordChange } from '../record-change.js';
import { connectSession, newConnectSession } from './connection.js';
import { findOrMakeUser } from './find-or-make-user.js';
import { makeConnectLink } from './make-connect-link.js';

@ApiTags('Connections')
@Controller('v1/connect-sessions')
export class ConnectSessionsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Post()
  @ApiOperation({ summary: 'Begin to connect a person, or one whose connection needs a new consent.' })
  @ApiCreatedResponse({ standardSchema: connectSession, description: 'Where to send the person.' })
  async createConnectSession(
    @TheCaller() caller: Caller,
    @Body({ schema: newConnectSession }) wish: z.infer<typeof newConnectSession>,
  ): Promise<z.infer<typeof connectSession>> {
    const consent = wish.provider === undefined ? undefined : await this.#prepare(caller, wish.provider);
    const providers = wish.provider === undefined ? wish.providers : [wish.provider];
    const user = await findOrMakeUser(this.context, caller, wish);
    if (consent === undefined && providers !== undefined) await this.#demandApps(caller, user.id, providers);
    const { returnUrl, language } = wish;
    const made = await recordChange(this.context, caller, 'connect_session.create', async (client) => {
      const link = await makeConnectLink(this.context, client, caller, { userId: user.id, providers, returnUrl, language });
      if (consent !== undefined) {
        const { tenantId, environment } = caller;
        const of = { tenantId, environment, linkId: link.id, userId: user.id, browserHash: undefined, returnUrl };
        await storeConsent(client, of, consent);
      }
      return { target: link.id, result: link };
    });
    return {
      id: made.id,
      userId: user.id,
      url: made.url,
      authorizeUrl: consent?.authorizeUrl ?? null,
      expiresAt: made.expiresAt.toISOString(),
    };
  }

  async #prepare(caller: Caller, id: string): Promise<PreparedConsent> {
    const provider = this.context.providers.get(id);
    const app = provider && (await chooseProviderApp(this.context.pool, caller, provider.id));
    if (provider === undefined || app === undefined) throw noApp(caller, 'provider', id);
    return prepareConsent(this.context, caller, provider, app);
  }

  async #demandApps(caller: Caller, userId: string, providers: readonly string[]): Promise<void> {
    const there = new Set((await listConnectable(this.context.pool, caller, userId)).map(({ provider }) => provider));
    const missing = providers.findIndex((id) => !there.has(id) || !this.context.providers.has(id));
    if (missing >= 0) throw noApp(caller, `providers.${missing}`, providers[missing] as string);
  }
}

function noApp({ environment }: Caller, path: string, provider: string): Problem {
  return new Problem('validation_failed', `There is no provider app to consent to ${provider} through. Make one at /v1/provider-apps.`, [
    { path, message: `has no provider app in the ${environment} environment` },
  ]);
}
