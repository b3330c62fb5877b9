import { createHash, randomBytes } from 'node:crypto';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { chooseProviderApp, insertConnectSession } from '@tributary/storage';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { openSecret } from '../provider-apps/open-secrets.js';
import { requiredOrigins } from '../provider-apps/required-origins.js';
import { recordChange } from '../record-change.js';
import { codeChallenge, codeVerifier } from './code-verifier.js';
import { connectSession, newConnectSession } from './connection.js';

/** As long as providers keep their codes good. */
const LIFETIME_S = 600;

@ApiTags('Connections')
@Controller('v1/connect-sessions')
export class ConnectSessionsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Post()
  @ApiOperation({ summary: 'Begin a consent, also of a person whose connection needs a new one.' })
  @ApiCreatedResponse({ standardSchema: connectSession, description: 'Where to send the person.' })
  async createConnectSession(
    @TheCaller() caller: Caller,
    @Body({ schema: newConnectSession }) wish: z.infer<typeof newConnectSession>,
  ): Promise<z.infer<typeof connectSession>> {
    const provider = this.context.providers.get(wish.provider);
    const app = provider && (await chooseProviderApp(this.context.pool, caller, provider.id));
    if (provider === undefined || app === undefined) {
      throw new Problem('validation_failed', 'There is no provider app to consent through. Make one at /v1/provider-apps.', [
        { path: 'provider', message: `has no provider app in the ${caller.environment} environment` },
      ]);
    }
    const state = randomBytes(32).toString('base64url');
    const redirectUri = `${this.context.publicApiUrl}/connect/callback`;
    const authorizeUrl = provider.oauth.authorizeUrl({
      origins: requiredOrigins(provider, app.sandbox, this.context.sandboxUrl),
      clientId: app.clientId,
      redirectUri,
      state,
      scopes: provider.oauth.scopes,
      ...(provider.oauth.pkce && {
        codeChallenge: codeChallenge(codeVerifier(state, await openSecret(this.context, caller, app.id, 'client_secret'))),
      }),
    });
    const id = newId('ses');
    const expiresAt = await recordChange(this.context, caller, 'connect_session.create', async (client) => {
      const ends = await insertConnectSession(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id,
        userId: wish.userId,
        providerAppId: app.id,
        stateHash: createHash('sha256').update(state).digest(),
        redirectUri,
        returnUrl: wish.returnUrl,
        lifetimeS: LIFETIME_S,
      });
      if (ends === undefined)
        throw new Problem('not_found', 'There is no user of that id.', [{ path: 'userId', message: 'names no user' }]);
      return { target: id, result: ends };
    });
    return { id, authorizeUrl, expiresAt: expiresAt.toISOString() };
  }
}
