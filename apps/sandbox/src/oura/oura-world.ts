import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@tributary/service-shell';
import { CallLedger } from '../call-ledger.js';
import { FaultBox } from '../faults.js';
import { GrantBook } from '../grant-book.js';
import type { Collection, OuraDocument } from './documents.js';
import { SubscriptionBook } from './subscription-book.js';
import { microsecondTime } from './webhook-message.js';

export interface OuraApp {
  readonly clientId: string;
  /** Newest first. The first signs; all are good for token calls. */
  secrets: readonly string[];
  readonly redirectUris: ReadonlySet<string>;
  readonly accessTokenTtlS: number;
  readonly subscriptionTtlS: number;
}

export interface Person {
  readonly subjectId: string;
  readonly name: string;
  /** By collection and document id. */
  readonly documents: Readonly<Record<Collection, Map<string, OuraDocument>>>;
}

/** All that this Oura knows. In memory only. */
export class OuraWorld {
  readonly apps = new Map<string, OuraApp>();
  readonly people = new Map<string, Person>();
  readonly grants: GrantBook;
  readonly subscriptions: SubscriptionBook;
  readonly faults = new FaultBox();
  readonly ledger = new CallLedger();
  readonly #closing = new AbortController();
  #lastEventUs = 0;

  constructor(readonly now: Clock) {
    this.grants = new GrantBook(now);
    this.subscriptions = new SubscriptionBook(now);
  }

  /** The app of these credentials; any live secret is accepted. */
  appOf(clientId: string | undefined, clientSecret: string | undefined): OuraApp | undefined {
    const app = this.apps.get(clientId ?? '');
    return clientSecret !== undefined && app?.secrets.includes(clientSecret) ? app : undefined;
  }

  addPerson(name: string, subjectId = randomUUID().replaceAll('-', '')): Person {
    const person: Person = { subjectId, name, documents: { daily_activity: new Map(), sleep: new Map(), workout: new Map() } };
    this.people.set(subjectId, person);
    return person;
  }

  /** Now, to the microsecond and never twice: two changes of one millisecond are two events. */
  nextEventTime(): string {
    this.#lastEventUs = Math.max(this.now() * 1000, this.#lastEventUs + 1);
    return microsecondTime(this.#lastEventUs);
  }

  /** Waits, or less when the process ends. */
  async pause(ms: number): Promise<void> {
    if (ms > 0) await wait(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  clear(): void {
    for (const part of [this.apps, this.people, this.grants, this.subscriptions, this.faults, this.ledger]) part.clear();
  }

  close(): void {
    this.#closing.abort();
  }
}
