import { KeyRing, createLog, createMetrics } from '@tributary/service-shell';
import { drawRevisions } from '@tributary/storage';
import { Webhook } from 'standardwebhooks';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type Received, type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { addressPolicy } from '../src/allowed-address.js';
import { DeliverSlice } from '../src/deliver-slice.js';
import { outboundMetrics } from '../src/outbound-metrics.js';
import { type Poster, createPoster } from '../src/post-to-endpoint.js';
import type { SliceDependencies } from '../src/slice-dependencies.js';

/** The slice worker of one process, with what it logged and counted. */
export interface Outbound extends DeliverSlice {
  readonly lines: Record<string, unknown>[];
  metric(name: string): Promise<string[]>;
}

interface OwedEvent {
  readonly to?: readonly SeededEndpoint[];
  readonly type?: string;
  readonly data?: string;
}

/** A real database, a real receiver and, for each test, one tenant with one endpoint. */
export class SliceWorld {
  readonly keys = new KeyRing(TEST_KEYS);
  db: TestDatabase;
  seed: Seed;
  scope: SeededEnvironment;
  receiver: Receiver;
  endpoint: SeededEndpoint;
  readonly #opened: { close(): Promise<void> }[] = [];

  async open(): Promise<void> {
    this.db = await cloneDatabase();
    this.seed = new Seed(this.db.pool, this.keys);
  }

  async begin(): Promise<void> {
    this.scope = await this.seed.environment();
    this.receiver = await startReceiver();
    this.endpoint = await this.seed.endpoint(this.scope, { url: `${this.receiver.url}/hooks` });
  }

  /** Another receiver at the URL of the endpoint: what the first one saw is not counted. */
  async restartReceiver(): Promise<void> {
    this.receiver = await startReceiver({ port: Number(new URL(this.receiver.url).port) });
  }

  /** Posts for real, and tells of each request when it begins (1) and when it ends (-1). */
  watchedPoster(watch: (eventId: string, change: 1 | -1) => void, deadlineMs = 5_000): Poster {
    const poster = this.#poster(deadlineMs);
    return {
      close: () => poster.close(),
      async post(request) {
        const id = request.headers['webhook-id'] as string;
        watch(id, 1);
        return poster.post(request).finally(() => watch(id, -1));
      },
    };
  }

  #poster(deadlineMs: number): Poster {
    const policy = addressPolicy(['127.0.0.0/8']);
    return createPoster({ policy, resolve: async () => ['127.0.0.1'], clock: Date.now, deadlineMs });
  }

  async end(): Promise<void> {
    await this.receiver.stop();
    for (const poster of this.#opened.splice(0)) await poster.close();
  }

  async close(): Promise<void> {
    await this.db.drop();
  }

  outbound(over: Partial<SliceDependencies> = {}): Outbound {
    const deadlineMs = over.deadlineMs ?? 5_000;
    const poster = over.poster ?? this.#poster(deadlineMs);
    this.#opened.push(poster);
    const registry = createMetrics('outbound');
    const lines: Record<string, unknown>[] = [];
    const log = createLog('outbound', 'silent');
    const keep = (line: object) => void lines.push({ ...line });
    for (const level of ['info', 'warn', 'error'] as const) log[level] = keep;
    const metrics = outboundMetrics(registry);
    const usual = { pool: this.db.pool, keys: this.keys, deadlineMs, clock: Date.now, random: () => 0.5, draining: () => false };
    const slices = new DeliverSlice({ ...usual, poster, log, metrics, ...over });
    const metric = async (name: string) =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
    return Object.assign(slices, { lines, metric });
  }

  ref(of = this.endpoint) {
    return { tenantId: of.tenantId, environment: of.environment, endpointId: of.id };
  }

  /** One event of the tenant, due now at its endpoint, or at those of `to`. */
  async owe(id: string, { to = [this.endpoint], type = 'daily.updated', data }: OwedEvent = {}): Promise<void> {
    const { tenantId, environment } = this.scope;
    const revision = await drawRevisions(this.db.pool, this.scope, 1);
    const bytes = Buffer.from(data ?? `{"id":"${id}","note":"Zoë 😀"}`);
    await this.rows(
      `insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
       values ($1, $2, $3, $4, $5, '2026-12-01T09:14:00.123Z', $6)`,
      ...[tenantId, environment, id, type, revision, bytes],
    );
    for (const endpoint of to) {
      await this.rows(
        'insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, $3, $4, now())',
        ...[tenantId, environment, id, endpoint.id],
      );
    }
  }

  /** Time passes for what waits, leases included. */
  async makeDue(): Promise<void> {
    const { tenantId } = this.scope;
    await this.rows(`update event_delivery set next_attempt_at = now() where tenant_id = $1 and state in ('pending', 'sending')`, tenantId);
  }

  async rows(text: string, ...values: unknown[]) {
    return (await this.db.pool.query(text, values)).rows;
  }

  async delivery(id: string) {
    const wait = 'extract(epoch from next_attempt_at - now())::float8 * 1000 as wait_ms';
    return (await this.rows(`select *, ${wait} from event_delivery where event_id = $1 and endpoint_id = $2`, id, this.endpoint.id))[0];
  }

  attempts(id: string) {
    return this.rows('select * from delivery_attempt where event_id = $1 order by n', id);
  }

  /** State, how many, and how many of them under a lease. */
  states() {
    return this.rows(
      `select state, count(*)::int as n, count(lease_token)::int as held from event_delivery where endpoint_id = $1 group by 1 order by 1`,
      this.endpoint.id,
    );
  }

  async endpointRow() {
    return (await this.rows('select * from endpoint where id = $1', this.endpoint.id))[0];
  }

  /** Any Standard Webhooks library must accept what we send. */
  verified(request: Received | undefined, secret = this.endpoint.secret): Record<string, unknown> {
    if (!request) throw new Error('Nothing was received');
    return new Webhook(secret).verify(request.body.toString('utf8'), request.headers) as Record<string, unknown>;
  }
}
