import pg from 'pg';
import { call, patienceMs, until } from './http.js';

/** Addresses and keys of one running Tributary, and the parts that play provider and customer. */
export interface StageSettings {
  readonly api: string;
  readonly ingest: string;
  readonly sandbox: string;
  readonly receiver: string;
  readonly apiKey: string;
  readonly tenantId: string;
  readonly databaseUrl: string;
}

export interface SeenEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly revision: number;
  readonly deliveryAttempt: number;
}

export interface ReceiverState {
  readonly handled: number;
  readonly duplicates: number;
  readonly refused: number;
  readonly turnedAway: number;
  readonly events: readonly SeenEvent[];
  /** What the customer holds after ordering by revision: `metric/date` → value; null once deleted. */
  readonly values: Readonly<Record<string, number | null>>;
}

export interface Sent {
  readonly deliveries: readonly { readonly status: number; readonly ms: number }[];
}

export interface Calls {
  readonly objectReads: number;
  readonly listReads: number;
}

export interface Webhook {
  readonly subjectId: string;
  readonly collection: string;
  readonly objectId: string;
  readonly eventType: 'create' | 'update' | 'delete';
  readonly eventTime?: string;
  readonly copies?: number;
  readonly concurrent?: boolean;
  readonly repeat?: 'same-bytes';
  readonly forge?: 'signature' | 'body' | 'none' | 'stale' | 'truncated';
  readonly secret?: string;
}

/** What the steps of the story can do and see: only what an outsider could, and the rows. */
export class Stage {
  readonly #pool: pg.Pool;

  constructor(readonly settings: StageSettings) {
    this.#pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 2 });
    this.#pool.on('error', () => undefined);
  }

  close = () => this.#pool.end();

  api = <T>(method: string, path: string, body?: unknown) =>
    call<T>(method, `${this.settings.api}/v1${path}`, { key: this.settings.apiKey, body });
  sandbox = <T>(method: string, path: string, body?: unknown) => call<T>(method, `${this.settings.sandbox}/control/oura${path}`, { body });
  receiver = (body: { secrets?: string[]; mode?: 'up' | 'down' }) => call<void>('PUT', `${this.settings.receiver}/control`, { body });
  state = () => call<ReceiverState>('GET', `${this.settings.receiver}/state`);

  webhook = (hook: Webhook) => this.sandbox<Sent>('POST', '/webhooks', hook);
  calls = (subjectId: string) => this.sandbox<Calls>('GET', `/calls?subjectId=${subjectId}`);

  /** Puts a daily activity document at the provider, without telling anybody. */
  activity = (subjectId: string, document: { id: string; day: string; steps: number }) =>
    this.sandbox<unknown>('PUT', `/people/${subjectId}/documents/daily_activity/${document.id}`, { document: activityDocument(document) });

  async rows<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.#pool.query<R>(text, values)).rows;
  }

  async count(table: string, where = 'true', values: unknown[] = []): Promise<number> {
    const [row] = await this.rows<{ n: string }>(`select count(*) as n from ${table} where tenant_id = $1 and (${where})`, [
      this.settings.tenantId,
      ...values,
    ]);
    return Number(row?.n);
  }

  /** Waits until the customer holds `value` for `key`. */
  holds = (key: string, value: number | null, timeoutMs = patienceMs) =>
    until(
      `the receiver to hold ${key} = ${value}`,
      async () => {
        const state = await this.state();
        return state.values[key] === value ? state : undefined;
      },
      timeoutMs,
    );

  /** Waits until nothing is owed any more: no notice unread, no window due, no delivery waiting. */
  quiet = (timeoutMs = patienceMs) =>
    until(
      'everything owed to be done',
      async () => {
        const [notices, windows, deliveries] = await Promise.all([
          this.count('webhook_notice', `status in ('received', 'windowed')`),
          this.count('fetch_window', `state in ('waiting', 'fetching')`),
          this.count('event_delivery', `state in ('pending', 'sending')`),
        ]);
        return notices + windows + deliveries === 0 ? true : undefined;
      },
      timeoutMs,
    );
}

/** Energy and distance follow the steps, so that one change moves every metric; the sandbox fills in the rest of the document. */
function activityDocument({ day, steps }: { day: string; steps: number }): Record<string, unknown> {
  const active = Math.round(steps / 22);
  return { day, steps, active_calories: active, total_calories: 1_800 + active, equivalent_walking_distance: Math.round(steps * 0.8) };
}
