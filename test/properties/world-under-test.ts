// doubles: none but the providers: the sandbox over real HTTP. Ingest runs as it does in production; the worker's parts without a queue.
import { generateKeyPairSync } from 'node:crypto';
import { type Provider, ProviderUnreachable, findProvider, sweptCollections } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { inTransaction, loadStanding, planSweeps, resumeWindows, saveConnection } from '@tributary/storage';
import { type RunningIngest, startIngest } from '../../apps/ingest/testing/start-ingest.js';
import { checkSubscriptions } from '../../apps/worker/src/subscription-upkeep.js';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from '../stand-ins/provider-server.js';
import { type Behaviour, type Received, type Receiver, startReceiver } from '../stand-ins/receiver-server.js';
import { installClock, setClock } from './time-travel.js';

const SWEEP_DAYS = 21;
const subjects: Readonly<Record<string, string>> = { garmin: '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901', google: 'hU-9Qx2k' };

/** Everything between a provider and our tables, with a clock that is moved and a relay that keeps what the provider posts. */
export class WorldUnderTest {
  readonly #pending: Received[] = [];
  #shiftMs = 0;

  private constructor(
    readonly bench: Workbench,
    readonly providers: ProviderServer,
    readonly ingest: RunningIngest,
    readonly relay: Receiver,
    readonly context: WorkerContext,
  ) {}

  static async open(): Promise<WorldUnderTest> {
    const bench = await Workbench.open();
    await installClock(bench.db.url);
    const here: { world?: WorldUnderTest } = {};
    const now = () => Date.now() + (here.world?.shiftMs ?? 0);
    const providers = await startProviders(now);
    const ingest = await startIngest(bench.db.url, { TRIBUTARY_SANDBOX_URL: providers.url });
    const relay = await startReceiver({ decide: async (request) => here.world?.relayed(request) });
    const context = bench.contextWith({
      sandboxUrl: providers.url,
      publicIngestUrl: relay.url,
      clock: now,
      http: createProviderHttp({
        allowedOrigins: new Set([providers.url]),
        deadlineMs: 2_000,
        maxReplyBytes: 1_000_000,
        unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
      }),
    });
    return (here.world = new WorldUnderTest(bench, providers, ingest, relay, context));
  }

  async close(): Promise<void> {
    await this.relay.stop();
    await this.ingest.close();
    await this.providers.stop();
    await this.bench.close();
  }

  get shiftMs(): number {
    return this.#shiftMs;
  }

  async travel(ms: number): Promise<void> {
    this.#shiftMs += ms;
    await setClock(this.bench.db.pool, this.#shiftMs);
  }

  async backToNow(): Promise<void> {
    await this.travel(-this.#shiftMs);
  }

  /** Probes of the address go through; what is told of people is kept. */
  async relayed(request: Received): Promise<Behaviour> {
    const probe = request.method !== 'POST' || this.#open;
    if (!probe) {
      this.#pending.push(request);
      return { do: 'answer', status: 200 };
    }
    const { status, headers, body } = await this.#forward(request);
    const type = headers['content-type'];
    return { do: 'answer', status, body, headers: typeof type === 'string' ? { 'content-type': type } : {} };
  }

  /** While subscriptions are made, every request is a probe. */
  #open = false;

  async whileProbed<T>(work: () => Promise<T>): Promise<T> {
    this.#open = true;
    try {
      return await work();
    } finally {
      this.#open = false;
    }
  }

  takePending(): Received[] {
    return this.#pending.splice(0);
  }

  async handOver(request: Received): Promise<void> {
    const { status } = await this.#forward(request);
    if (status >= 300) throw new Error(`ingest answered ${status} to a webhook of ${request.path}`);
  }

  #forward({ method, path, query, headers, body }: Received) {
    const { host: _host, connection: _connection, 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = headers;
    const search = query.toString();
    return this.ingest.send(search === '' ? path : `${path}?${search}`, { method, headers: kept, ...(body.length > 0 && { body }) });
  }

  async ingestForgets(appKey: string): Promise<void> {
    if (this.relay.received.some(({ path }) => path.endsWith(appKey))) await new Promise((done) => setTimeout(done, 1_050));
  }

  /** A consent at the provider. */
  async grant(provider: string, subjectId: string, clientId: string): Promise<Grant> {
    const grant = await this.providers.controlOf(provider)<Grant>('POST', `/people/${subjectId}/grants`, { clientId });
    if (provider === 'polar') {
      // Where a person counts only once they are registered with the app.
      await this.providers.call('POST', '/polar/v3/users', { 'member-id': subjectId }, { authorization: `Bearer ${grant.accessToken}` });
    }
    return grant;
  }

  /** Somebody who is connected at both ends. */
  async connect(id: string): Promise<PersonUnderTest> {
    const provider = findProvider(id) as Provider;
    const control = this.providers.controlOf(id);
    await control('DELETE', '/');
    this.takePending();
    const { bench } = this;
    const scope = await bench.seed.environment();
    await bench.db.pool.query('update environment set sweep_days = $2 where tenant_id = $1', [scope.tenantId, SWEEP_DAYS]);
    const clientId = id === 'google' ? `${Date.now()}-app.apps.googleusercontent.com` : undefined;
    const app = await bench.seed.app(scope, { provider: id, ...(clientId !== undefined && { clientId }) });
    const client = { clientId: app.clientId, clientSecret: app.clientSecret };
    const callbackUrl = `${this.relay.url}/in/${id}/${app.appKey}`;
    const address = id === 'garmin' || id === 'whoop' ? { callbackUrl } : {};
    await control('POST', '/apps', { ...client, redirectUris: ['http://127.0.0.1:9/back'], ...address });
    const subjectId = subjects[id] ?? '38291047';
    await control('POST', '/people', { subjectId });
    const grant = await this.grant(id, subjectId, app.clientId);
    const user = await bench.seed.user(scope);
    const connection = await bench.seed.connection(app, user, {
      subjectId,
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken,
      scopes: [...provider.oauth.scopes],
    });
    if (id === 'polar') await bench.db.pool.query(foreverToken, [connection.id]);
    const endpoint = await bench.seed.endpoint(scope);
    const person: Person = { scope, app, user, connection, endpoint };
    if (id === 'google') {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const key = JSON.stringify({ client_email: 'hooks@us.example', private_key: privateKey });
      await bench.seed.appSecret(app, { purpose: 'service_account', value: key });
      await bench.seed.appSecret(app, { purpose: 'webhook_secret', value: 'Bearer secret-of-the-subscriber' });
      await control('PUT', `/apps/${app.clientId}/service-account`, { clientEmail: 'hooks@us.example', publicKey });
    }
    await this.whileProbed(async () => {
      await bench.db.pool.query('delete from subscription_upkeep');
      await bench.db.pool.query(
        'insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at) values ($1, $2, $3, now())',
        [scope.tenantId, scope.environment, app.id],
      );
      await checkSubscriptions(this.context);
      const base = `${this.providers.url}/${id}`;
      const origins = { api: base, authorize: base, token: base };
      await provider.subscriptions.ensureForPerson?.(this.context.http, { origins, accessToken: grant.accessToken, callbackUrl });
    });
    // Ingest knows an app for a second, and the subscription may have brought the key to prove webhooks with.
    await this.ingestForgets(app.appKey);
    return new PersonUnderTest(this, provider, person, subjectId);
  }
}

/** Polar gives no refresh token, and one for access that lasts for years. */
const foreverToken = `update connection set refresh_token = null, token_expires_at = now() + interval '9 years' where id = $1`;

interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** One person of one provider, and what may happen to them. */
export class PersonUnderTest {
  constructor(
    readonly world: WorldUnderTest,
    readonly provider: Provider,
    readonly person: Person,
    readonly subjectId: string,
  ) {}

  get control() {
    return this.world.providers.controlOf(this.provider.id);
  }

  async put(collection: string, id: string, document: object, notify: boolean): Promise<void> {
    await this.control('PUT', `/people/${this.subjectId}/documents/${collection}/${id}`, { document, notify });
  }

  async remove(collection: string, id: string): Promise<void> {
    await this.control('DELETE', `/people/${this.subjectId}/documents/${collection}/${id}?notify=true`);
  }

  /** The person ends the grant at the provider; nothing is read for a while. */
  async leave(): Promise<void> {
    await this.control('DELETE', `/people/${this.subjectId}/grants`);
  }

  /** A new consent, stored as the API stores one. */
  async comeBack(): Promise<void> {
    const { app, connection, user } = this.person;
    const { bench, context } = this.world;
    const grant = await this.world.grant(this.provider.id, this.subjectId, app.clientId);
    const seal = (token: string, kind: string) => bench.keys.seal(token, `connection:${connection.id}:${kind}`);
    await inTransaction(bench.db.pool, async (client) => {
      await saveConnection(client, {
        ...connection,
        userId: user.id,
        accessToken: seal(grant.accessToken, 'access'),
        refreshToken: this.provider.id === 'polar' ? undefined : seal(grant.refreshToken, 'refresh'),
        tokenExpiresAt: new Date(context.clock() + (this.provider.id === 'polar' ? 9 * 365 * 86_400_000 : 3_600_000)),
        scopes: [...this.provider.oauth.scopes],
      });
      await resumeWindows(client, connection, connection.id);
    });
    await this.world.whileProbed(async () => {
      const base = `${this.world.providers.url}/${this.provider.id}`;
      await this.provider.subscriptions.ensureForPerson?.(context.http, {
        origins: { api: base, authorize: base, token: base },
        accessToken: grant.accessToken,
        callbackUrl: `${this.world.relay.url}/in/${this.provider.id}/${app.appKey}`,
      });
    });
  }

  /** One round of the worker, with everything that waits due at once. */
  async work(): Promise<void> {
    const { bench, context } = this.world;
    await bench.resolve(this.person);
    await bench.makeDue(this.person);
    await bench.fetch(this.person, context);
  }

  /** Lets time pass until nothing waits any more. */
  async settle(): Promise<void> {
    const { bench, context } = this.world;
    for (let round = 0; round < 400; round += 1) {
      await bench.resolve(this.person);
      await bench.fetch(this.person, context);
      const [next] = await bench.rows(
        `select extract(epoch from min(due_at) - clock_timestamp())::float8 * 1000 as in_ms from fetch_window
         where tenant_id = $1 and state in ('waiting', 'fetching')`,
        this.person,
      );
      const inMs = next?.['in_ms'] as number | null;
      if (inMs === null) return;
      if (inMs > 0) await this.world.travel(inMs + 1);
    }
    throw new Error(`windows still wait: ${JSON.stringify(await bench.windows(this.person))}`);
  }

  /** The regular look, more than a day after the last one. */
  async sweep(): Promise<void> {
    const { bench } = this.world;
    await this.world.travel(25 * 3_600_000);
    await bench.db.pool.query('update connection set next_sweep_at = clock_timestamp() where id = $1', [this.person.connection.id]);
    const collections = sweptCollections(this.provider).map((collection) => ({
      provider: this.provider.id,
      collection,
      scope: this.provider.collections[collection]?.scope,
      spanDays: this.provider.collections[collection]?.spanDays,
    }));
    await planSweeps(bench.db.pool, collections, 1_000);
    await this.settle();
  }

  /** Where the person was, as a read of the worker knows it. */
  async whereabouts() {
    const { connection } = this.person;
    const standing = await loadStanding(this.world.bench.db.pool, connection, connection.id);
    return { profile: standing?.zones ?? [], fallbackZone: standing?.fallbackZone, tzdb: process.versions.tz ?? 'unknown' };
  }
}
