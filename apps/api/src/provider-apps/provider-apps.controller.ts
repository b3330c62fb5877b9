import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type EnsuredSubscriptions, ProviderUnreachable, faultOfSecret, findInboundProvider, inboundProviders } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type ShownProviderApp,
  type Sql,
  addProviderAppSecret,
  endUpkeep,
  findProviderApp,
  listProviderApps,
  loadLiveSecrets,
  startUpkeep,
} from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { makeProviderApp } from './make-provider-app.js';
import { openSecret } from './open-secrets.js';
import { requiredOrigins } from './required-origins.js';
import {
  addedSecret,
  createdProviderApp,
  ensuredSubscriptions,
  newProviderApp,
  newProviderAppSecret,
  providerApp,
  providerAppPage,
} from './provider-app.js';
import { showProviderApp } from './show-provider-app.js';

/** A provider repeats what was not received for a week at most (Polar). */
const MADE_SECRET_OVERLAP_S = 7 * 86_400;
/** As long as the calls of one app may take. Who comes meanwhile is told to wait. */
const CHECK_LEASE_MS = 300_000;
/** A check that was asked for and failed is tried again by the worker, first so soon. */
const RETRY_MS = 60_000;
const NEXT_CHECK_MS = 86_400_000;

const listQuery = z.strictObject({ ...pageFields });

@ApiTags('Provider apps')
@Controller('v1/provider-apps')
export class ProviderAppsController {
  readonly #pager: Pager<string>;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#pager = new Pager(context.keys, 'provider-apps', idOf('app'));
  }

  @Post()
  @ApiOperation({ summary: 'Register your app at a provider: what its webhooks are checked with, and what people consent through.' })
  @ApiCreatedResponse({ standardSchema: createdProviderApp, description: 'The app, with what to register at the provider.' })
  async createProviderApp(
    @TheCaller() caller: Caller,
    @Body({ schema: newProviderApp }) wish: z.infer<typeof newProviderApp>,
  ): Promise<z.infer<typeof createdProviderApp>> {
    const faults = this.#faultsOf(caller, wish);
    if (faults.length > 0) throw new Problem('validation_failed', 'The provider app cannot be made; see "faults".', faults);
    const { row, verificationToken } = await makeProviderApp(this.context, caller, {
      ...wish,
      clientSecret: wish.clientSecret,
      webhookSecret: wish.webhookSecret,
    });
    return { ...this.#answer(row), verificationToken };
  }

  @Get()
  @ApiOperation({ summary: 'List provider apps.' })
  @ApiOkResponse({ standardSchema: providerAppPage, description: 'Oldest first.' })
  async listProviderApps(
    @TheCaller() caller: Caller,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<z.infer<typeof providerAppPage>> {
    const rows = await listProviderApps(this.context.pool, caller, this.#pager.placeOf(caller, query.cursor) ?? '', query.limit + 1);
    return this.#pager.page(caller, rows, query.limit, { entry: (row) => this.#answer(row), place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a provider app.' })
  @ApiOkResponse({ standardSchema: providerApp, description: 'The app.' })
  async getProviderApp(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
  ): Promise<z.infer<typeof providerApp>> {
    return this.#answer(await this.#find(caller, id));
  }

  @Post(':id/secrets')
  @ApiOperation({ summary: 'Rotate a secret: the new one is good at once, the earlier ones until the overlap ends.' })
  @ApiCreatedResponse({ standardSchema: addedSecret, description: 'The secret was added.' })
  async addProviderAppSecret(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
    @Body({ schema: newProviderAppSecret }) wish: z.infer<typeof newProviderAppSecret>,
  ): Promise<z.infer<typeof addedSecret>> {
    const app = await this.#find(caller, id);
    const fault = faultOfSecret(findInboundProvider(app.provider), wish.purpose, wish.value);
    if (fault !== undefined)
      throw new Problem('validation_failed', 'The secret was not added; see "faults".', [{ path: 'value', message: fault }]);
    const secretId = newId('sec');
    return recordChange(this.context, caller, 'provider_app.add_secret', async (client) => {
      const retiring = await addProviderAppSecret(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        providerAppId: id,
        id: secretId,
        purpose: wish.purpose,
        sealed: this.context.keys.seal(wish.value, `provider_app_secret:${secretId}`),
        overlapS: wish.overlapS,
      });
      return { target: id, result: { id: secretId, retiring } };
    });
  }

  @Post(':id/subscriptions')
  @ApiOperation({ summary: 'Make the provider send its webhooks to us: creates what is missing, renews what lapses. Safe to repeat.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: ensuredSubscriptions, description: 'What was done.' })
  async ensureSubscriptions(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('app') }) id: string,
  ): Promise<z.infer<typeof ensuredSubscriptions>> {
    const app = await this.#find(caller, id);
    const provider = this.#provider(app.provider);
    const client = { clientId: app.clientId, clientSecret: await openSecret(this.context, caller, id, 'client_secret') };
    const wish = {
      origins: requiredOrigins(provider, app.sandbox, this.context.sandboxUrl),
      client,
      callbackUrl: this.#webhookUrl(app),
      verificationToken: await openSecret(this.context, caller, id, 'verification_token'),
      now: this.context.now(),
    };
    const { needs } = provider.subscriptions;
    // What cannot be asked for is said before anything is begun.
    const serviceAccount = needs === undefined ? undefined : await openSecret(this.context, caller, id, needs);
    if (provider.subscriptions.per !== 'app') {
      const ensured = await provider.subscriptions.ensure(this.context.http, wish);
      return recordChange(this.context, caller, 'provider_app.ensure_subscriptions', async () => ({ target: id, result: shown(ensured) }));
    }
    const lease = await startUpkeep(this.context.pool, caller, id, CHECK_LEASE_MS);
    if (lease === undefined)
      throw new Problem(
        'conflict',
        'The subscriptions of this app are being looked at right now. Read the app in a minute to see how it went.',
      );
    const end = (sql: Sql, error: string | undefined, { expiresAt, secret }: Partial<EnsuredSubscriptions>) =>
      endUpkeep(sql, caller, id, {
        leaseToken: lease.leaseToken,
        error,
        nextCheckInMs: error === undefined ? NEXT_CHECK_MS : RETRY_MS,
        expiresAt,
        keyLost: secret === undefined && (lease.keyLost || error === 'subscription_key_lost'),
      });
    let ensured: EnsuredSubscriptions;
    try {
      const live = await loadLiveSecrets(this.context.pool, caller, id);
      const held = live.find(({ purpose }) => purpose === 'webhook_secret');
      ensured = await provider.subscriptions.ensure(this.context.http, {
        ...wish,
        knowsWebhookSecret: !lease.keyLost && held !== undefined,
        ...(held !== undefined && { webhookSecret: this.context.keys.open(held.sealed, `provider_app_secret:${held.id}`) }),
        ...(serviceAccount !== undefined && { serviceAccount }),
      });
    } catch (error) {
      await end(this.context.pool, error instanceof ProviderUnreachable ? error.code : 'internal', {});
      throw error;
    }
    return recordChange(this.context, caller, 'provider_app.ensure_subscriptions', async (sql) => {
      if (ensured.secret !== undefined) await this.#keepWebhookSecret(sql, caller, id, ensured.secret);
      await end(sql, undefined, ensured);
      return { target: id, result: shown(ensured) };
    });
  }

  /** A key of the provider's own making, which it shows once. The earlier ones stay live for what is under way. */
  async #keepWebhookSecret(sql: Sql, { tenantId, environment }: Caller, providerAppId: string, value: string): Promise<void> {
    const id = newId('sec');
    const sealed = this.context.keys.seal(value, `provider_app_secret:${id}`);
    await addProviderAppSecret(sql, {
      tenantId,
      environment,
      providerAppId,
      id,
      purpose: 'webhook_secret',
      sealed,
      overlapS: MADE_SECRET_OVERLAP_S,
    });
  }

  #faultsOf(caller: Caller, wish: z.infer<typeof newProviderApp>): { path: string; message: string }[] {
    const known = inboundProviders.map(({ id }) => id);
    const secretFaults = (['clientSecret', 'webhookSecret'] as const).flatMap((path) => {
      const [value, purpose] = [wish[path], path === 'clientSecret' ? 'client_secret' : 'webhook_secret'] as const;
      const message = value === undefined ? undefined : faultOfSecret(findInboundProvider(wish.provider), purpose, value);
      return message === undefined ? [] : [{ path, message }];
    });
    return [
      ...secretFaults,
      ...(known.includes(wish.provider) ? [] : [{ path: 'provider', message: `is not one of ${known.join(', ')}` }]),
      ...(wish.clientSecret === undefined && wish.webhookSecret === undefined
        ? [{ path: 'clientSecret', message: 'is missing, and webhookSecret too: nothing could prove a webhook' }]
        : []),
      ...(wish.sandbox && caller.environment !== 'test'
        ? [{ path: 'sandbox', message: 'is only for the test environment; use a trb_test_ key' }]
        : []),
      ...(wish.sandbox && this.context.sandboxUrl === undefined ? [{ path: 'sandbox', message: 'this installation has no sandbox' }] : []),
    ];
  }

  async #find(caller: Caller, id: string): Promise<ShownProviderApp> {
    const row = await findProviderApp(this.context.pool, caller, id);
    if (row === undefined) throw new Problem('not_found', 'There is no provider app of that id.');
    return row;
  }

  #provider(id: string) {
    const provider = this.context.providers.get(id);
    if (provider === undefined)
      throw new Problem('conflict', `The webhooks of ${id} are registered at the provider itself: give it the webhookUrl of this app.`);
    return provider;
  }

  #webhookUrl({ provider, appKey }: ShownProviderApp): string {
    return `${this.context.publicIngestUrl}/in/${provider}/${appKey}`;
  }

  #answer(row: ShownProviderApp): z.infer<typeof providerApp> {
    const { publicApiUrl, providers } = this.context;
    return showProviderApp(row, providers.get(row.provider), { publicApiUrl, webhookUrl: this.#webhookUrl(row) });
  }
}

/** Without its secret. */
function shown({ created, renewed, present }: EnsuredSubscriptions): z.infer<typeof ensuredSubscriptions> {
  return { created, renewed, present };
}
