import { type Scope, scopeKey } from '@tributary/domain';
import {
  type KeptEnvironment,
  clearBodies,
  dropOldEvents,
  dropOldRecords,
  inTransaction,
  listKeptEnvironments,
  listUsers,
  tryRetentionLock,
} from '@tributary/storage';
import type { WorkerContext } from './worker-context.js';

/** Events that one transaction drops. */
const EVENTS = 500;
/** People whose old records one transaction drops. */
const PEOPLE = 50;
/** Transactions of a kind in one visit of an environment: a big backlog goes over several visits, and nobody waits behind it. */
const SLICES = 40;
/** Time that one transaction takes bodies from. */
const BODY_SPAN_MS = 6 * 3_600_000;
/** A day ends once a day. */
const RECORDS_EVERY_MS = 12 * 3_600_000;

export interface Dropped {
  readonly bodies: number;
  readonly events: number;
  readonly records: number;
}

type Context = Pick<WorkerContext, 'pool' | 'log' | 'clock'>;

/** Drops, slice by slice, what each environment keeps no longer. Repeated or cut off, it does no harm. */
export class KeepRetention {
  /** When the records of an environment were gone through last, by this process. */
  readonly #recordsAt = new Map<string, number>();

  constructor(private readonly context: Context) {}

  async visit(): Promise<Dropped> {
    const total = { bodies: 0, events: 0, records: 0 };
    for (const environment of await listKeptEnvironments(this.context.pool)) {
      const dropped = {
        bodies: await this.#bodies(environment),
        events: await this.#events(environment),
        records: await this.#records(environment),
      };
      if (dropped.bodies + dropped.events + dropped.records > 0) {
        this.context.log.info({ what: 'retention.dropped', scope: scopeKey(environment), ...dropped });
      }
      total.bodies += dropped.bodies;
      total.events += dropped.events;
      total.records += dropped.records;
    }
    return total;
  }

  async #bodies(environment: KeptEnvironment): Promise<number> {
    let cleared = 0;
    for (const span of spansOf(environment).slice(0, SLICES)) {
      const slice = await this.#slice(environment, (client) => clearBodies(client, environment, span));
      if (slice === undefined) break;
      cleared += slice;
    }
    return cleared;
  }

  async #events(environment: KeptEnvironment): Promise<number> {
    let dropped = 0;
    for (let n = 0; n < SLICES; n += 1) {
      const slice = await this.#slice(environment, (client) => dropOldEvents(client, environment, EVENTS));
      dropped += slice ?? 0;
      // Fewer than asked for: what is older was dropped, or is being sent.
      if ((slice ?? 0) < EVENTS) break;
    }
    return dropped;
  }

  async #records(environment: KeptEnvironment): Promise<number> {
    const { recordDays: days } = environment;
    const now = this.context.clock();
    if (days === null || now - (this.#recordsAt.get(scopeKey(environment)) ?? -Infinity) < RECORDS_EVERY_MS) return 0;
    let dropped = 0;
    let after = '';
    for (;;) {
      const people = await listUsers(this.context.pool, environment, after, PEOPLE);
      const last = people.at(-1);
      if (last === undefined) break;
      const userIds = people.map((person) => person.id);
      const slice = await this.#slice(environment, (client) => dropOldRecords(client, environment, { userIds, days }));
      // Another process is at it.
      if (slice === undefined) return dropped;
      dropped += slice;
      after = last.id;
    }
    this.#recordsAt.set(scopeKey(environment), now);
    return dropped;
  }

  /** Undefined: another process is at this environment. */
  #slice(scope: Scope, work: (client: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<number>): Promise<number | undefined> {
    return inTransaction(this.context.pool, async (client) => ((await tryRetentionLock(client, scope)) ? work(client) : undefined));
  }
}

/** The time whose bodies must go, in parts, oldest first. */
export function spansOf({
  bodiesClearedTo,
  bodiesUntil,
}: Pick<KeptEnvironment, 'bodiesClearedTo' | 'bodiesUntil'>): { from: Date; to: Date }[] {
  const spans = [];
  for (let from = bodiesClearedTo.getTime(); from < bodiesUntil.getTime(); from += BODY_SPAN_MS) {
    spans.push({ from: new Date(from), to: new Date(Math.min(from + BODY_SPAN_MS, bodiesUntil.getTime())) });
  }
  return spans;
}
