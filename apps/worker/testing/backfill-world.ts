import { type FetchOutcome, addDays } from '@tributary/domain';
import { type Provider, providers } from '@tributary/providers';
import {
  type BackfillPartRow,
  type BackfillRow,
  type NewBackfillPart,
  findBackfill,
  inTransaction,
  insertBackfill,
  openBackfillWindows,
} from '@tributary/storage';
import type { WorkerContext } from '../src/worker-context.js';
import { activityDocument } from './documents.js';
import type { Person, Workbench } from './workbench.js';

export const BACKFILL = 'bf_1';
export const today = new Date().toISOString().slice(0, 10);
/** Exclusive: somewhere it is tomorrow already. */
export const end = addDays(today, 2);
export const activity = [{ collection: 'daily_activity' }];

type PartWish = Partial<NewBackfillPart> & { readonly collection: string };

/** A backfill of somebody at the workbench, step by step. */
export class BackfillWorld {
  constructor(private readonly bench: Workbench) {}

  /** Of the last `days` days, its first windows open. */
  async begin(person: Person, { days, parts }: { days: number; parts: readonly PartWish[] }): Promise<void> {
    const range = { from: addDays(today, -days), to: end };
    await inTransaction(this.bench.db.pool, async (client) => {
      const { tenantId, environment, id: connectionId, userId, provider } = person.connection;
      await insertBackfill(
        client,
        { tenantId, environment, id: BACKFILL, userId, connectionId, provider, cause: 'request', ...range },
        parts.map((part) => ({ permitted: true, ...range, spanDays: 30, horizonDays: undefined, ...part })),
      );
      await openBackfillWindows(client, person.scope, BACKFILL);
    });
  }

  async shown(person: Person): Promise<BackfillRow> {
    const row = await findBackfill(this.bench.db.pool, person.scope, BACKFILL);
    if (row === undefined) throw new Error('There is no backfill');
    return row;
  }

  async part(person: Person, collection = 'daily_activity'): Promise<BackfillPartRow | undefined> {
    return (await this.shown(person)).parts.find((one) => one.collection === collection);
  }

  /** Its windows that are open. */
  open(person: Person) {
    return this.bench.rows(
      `select collection, window_start as from, window_end as to, state, priority from fetch_window
       where tenant_id = $1 and backfill_id is not null order by collection, window_start`,
      person,
    );
  }

  /** Its events. */
  async completions(person: Person) {
    return (await this.bench.events(person)).filter(({ type }) => type === 'backfill.completed');
  }

  /** Reads what is due until nothing is, as tickets would. */
  async work(person: Person, context: WorkerContext = this.bench.context): Promise<void> {
    const due = `select 1 from fetch_window where tenant_id = $1 and state in ('waiting', 'fetching') and due_at <= now()`;
    for (let n = 0; n < 50 && (await this.bench.rows(due, person)).length > 0; n += 1) await this.bench.fetch(person, context);
  }

  /** Somebody will look at it now. */
  async lookAgain(person: Person): Promise<void> {
    await this.bench.db.pool.query('update backfill set check_at = now() where tenant_id = $1', [person.scope.tenantId]);
  }

  /** A worker whose provider answers by the collection. */
  reading(answer: (collection: string) => FetchOutcome): WorkerContext {
    const oura = providers.find(({ id }) => id === 'oura') as Provider;
    const provider: Provider = { ...oura, fetchRecords: (collection) => Promise.resolve(answer(collection)) };
    return this.bench.contextWith({ providers: new Map([[provider.id, provider]]) });
  }

  /** A document for each of the last `days` days, whose steps are 1 000 and its place counted from today. */
  past(days: number): void {
    for (let n = 0; n < days; n += 1) {
      const day = addDays(today, -n);
      const document = activityDocument({ id: `act-${day}`, day, timestamp: `${day}T04:00:00+00:00`, steps: 1_000 + n });
      this.bench.oura.put('daily_activity', document);
    }
  }
}
