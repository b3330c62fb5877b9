import { providers, ProviderUnreachable } from '@tributary/providers';
import { KeyRing, createLog, createMetrics, createProviderHttp } from '@tributary/service-shell';
import { fileNotices } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import {
  Seed,
  type SeededApp,
  type SeededConnection,
  type SeededEndpoint,
  type SeededEnvironment,
  type SeededUser,
  TEST_KEYS,
} from '../../../packages/storage/testing/seed.js';
import { CallBudget } from '../src/call-budget.js';
import { FetchSlice } from '../src/fetch-slice.js';
import type { WorkerContext } from '../src/worker-context.js';
import { workerMetrics } from '../src/worker-metrics.js';
import { OuraStandIn } from './oura-stand-in.js';

export interface Person {
  readonly scope: SeededEnvironment;
  readonly app: SeededApp;
  readonly user: SeededUser;
  readonly connection: SeededConnection;
  readonly endpoint: SeededEndpoint;
}

/** A database, a provider, and the parts of a worker without its queue, so that a test decides when each step happens. */
export class Workbench {
  readonly keys = new KeyRing(TEST_KEYS);
  readonly seed: Seed;
  readonly context: WorkerContext;
  /** Endpoints that slices said are owed something. */
  readonly owed: string[] = [];
  #deliveries = 0;

  private constructor(
    readonly db: TestDatabase,
    readonly oura: OuraStandIn,
  ) {
    this.seed = new Seed(db.pool, this.keys);
    this.context = this.contextWith({});
  }

  static async open(): Promise<Workbench> {
    const [db, oura] = await Promise.all([cloneDatabase({ poolSize: 12 }), OuraStandIn.start()]);
    return new Workbench(db, oura);
  }

  async close(): Promise<void> {
    await this.oura.stop();
    await this.db.drop();
  }

  /** Another worker's context on the same database: its tokens and slices know nothing of the first one's. */
  contextWith(changes: Partial<WorkerContext>): WorkerContext {
    const sandboxUrl = changes.sandboxUrl ?? this.oura.url;
    const parts = {
      pool: this.db.pool,
      keys: this.keys,
      providers: new Map(providers.map((one) => [one.id, one])),
      publicIngestUrl: 'http://hooks.example',
      sandboxUrl,
      http: createProviderHttp({
        allowedOrigins: new Set([sandboxUrl]),
        deadlineMs: 5_000,
        maxReplyBytes: 1_000_000,
        unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
      }),
      clock: () => Date.now(),
      monotonic: () => performance.now(),
      random: () => 0.5,
      log: createLog('worker-test', 'silent'),
      metrics: workerMetrics(createMetrics('worker')),
      leaseMs: 30_000,
      slice: 20,
      fetches: 8,
      refreshes: 4,
      draining: () => false,
      ...changes,
    };
    return { budget: new CallBudget(parts), ...parts };
  }

  /** Somebody with a connection at the stand-in, and a customer's endpoint that takes everything. */
  async person(
    options: { environment?: Parameters<Seed['environment']>[0]; connection?: Parameters<Seed['connection']>[2] } = {},
  ): Promise<Person> {
    const scope = await this.seed.environment(options.environment);
    const app = await this.seed.app(scope);
    const user = await this.seed.user(scope);
    const connection = await this.seed.connection(app, user, options.connection);
    const endpoint = await this.seed.endpoint(scope);
    return { scope, app, user, connection, endpoint };
  }

  /** A notice as ingest leaves it. `version`: microseconds since the epoch, null for none. */
  async notice(
    { connection }: Person,
    notice: { collection?: string; id?: string; kind?: string; version?: number | null; connectionId?: string } = {},
  ): Promise<void> {
    this.#deliveries += 1;
    await this.db.pool.query(
      `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
         window_start, window_end, version, received_at)
       values ($1, $2, $3, md5($4)::uuid, 0, $5, $6, $7, 'object', $8, $8, $9, clock_timestamp())`,
      [
        connection.tenantId,
        connection.environment,
        connection.providerAppId,
        `delivery-${this.#deliveries}`,
        notice.connectionId ?? connection.id,
        notice.collection ?? 'daily_activity',
        notice.kind ?? 'changed',
        notice.id ?? 'act-1',
        notice.version === undefined ? Date.now() * 1000 + this.#deliveries : notice.version,
      ],
    );
  }

  async window({ connection }: Person, window: { collection: string; from: string; to: string; priority?: number }): Promise<void> {
    await this.db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, priority, due_at)
       values ($1, $2, $3, $4, 'days', $5, $6, $7, now())`,
      [connection.tenantId, connection.environment, connection.id, window.collection, window.from, window.to, window.priority ?? 1],
    );
  }

  resolve({ scope }: Person) {
    return fileNotices(this.db.pool, scope, 500);
  }

  /** One slice, as a fetch ticket would work it. */
  async fetch({ scope }: Person, context: WorkerContext = this.context): Promise<boolean> {
    return new FetchSlice(context).run({ ...scope, lane: 0 }, async (ids) => {
      this.owed.push(...ids);
    });
  }

  /** What is postponed or debounced is due now. */
  async makeDue({ scope }: Person): Promise<void> {
    await this.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1 and state = 'waiting'`, [scope.tenantId]);
  }

  /** As if all that was seen of the person had been seen so much earlier; windows that wait are due. */
  async later(person: Person, minutes: number): Promise<void> {
    const ms = minutes * 60_000;
    for (const table of ['daily_rollup', 'session_record', 'measurement_record', 'series_day']) {
      await this.db.pool.query(
        `update ${table} set fresh_from = fresh_from - $2, fresh_to = fresh_to - $2, ingested_at = ingested_at - $2,
           doubt = case when doubt is null then null else doubt || jsonb_build_object(
             'seenTo', (doubt->>'seenTo')::float8 - $2, 'notBefore', (doubt->>'notBefore')::float8 - $2) end
         where tenant_id = $1`,
        [person.scope.tenantId, ms],
      );
    }
    await this.makeDue(person);
  }

  async rows(text: string, person: Person): Promise<Record<string, unknown>[]> {
    return (await this.db.pool.query(text, [person.scope.tenantId])).rows as Record<string, unknown>[];
  }

  daily(person: Person) {
    return this.rows(
      'select metric, local_date, value, deleted, revision, version from daily_rollup where tenant_id = $1 order by metric, local_date',
      person,
    );
  }

  async value(person: Person, metric = 'steps'): Promise<unknown> {
    return (await this.daily(person)).find((row) => row['metric'] === metric && row['deleted'] === false)?.['value'];
  }

  windows(person: Person) {
    return this.rows(
      `select collection, window_kind, window_start, state, dirty, expects, attempts, contradictions, requested_version, covered_version,
      notices, fetches, last_error, lease_token from fetch_window where tenant_id = $1 order by collection, window_kind, window_start`,
      person,
    );
  }

  notices(person: Person) {
    return this.rows('select status, count(*)::int as n from webhook_notice where tenant_id = $1 group by 1 order by 1', person);
  }

  /** Events in the order of their revisions, `data` parsed. */
  async events(person: Person) {
    const rows = await this.rows(
      `select e.id, e.type, e.revision, e.data, e.user_id,
      (select count(*)::int from event_delivery d where d.event_id = e.id) as deliveries
      from event e where tenant_id = $1 order by revision`,
      person,
    );
    return rows.map((row) => ({ ...row, data: JSON.parse((row['data'] as Buffer).toString()) as Record<string, unknown> })) as unknown as {
      id: string;
      type: string;
      revision: number;
      user_id: string;
      deliveries: number;
      data: Record<string, unknown>;
    }[];
  }

  letters(person: Person) {
    return this.rows(
      'select bucket, code, detail, closed_at is null as open, close_reason from dead_letter where tenant_id = $1 order by opened_at',
      person,
    );
  }
}
