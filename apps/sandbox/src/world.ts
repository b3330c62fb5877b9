import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@tributary/service-shell';
import { CallLedger } from './call-ledger.js';
import { FaultBox } from './faults.js';
import { GrantBook } from './grant-book.js';

export interface App {
  readonly clientId: string;
  /** Newest first. The first signs; all are good for token calls. */
  secrets: readonly string[];
  readonly redirectUris: ReadonlySet<string>;
  readonly accessTokenTtlS: number;
}

export interface Person<D = unknown> {
  readonly subjectId: string;
  readonly name: string;
  /** By collection and document id. */
  readonly documents: Readonly<Record<string, Map<string, D>>>;
}

/** All that one stand-in knows. In memory only. */
export class World<A extends App = App, D = unknown> {
  readonly apps = new Map<string, A>();
  readonly people = new Map<string, Person<D>>();
  readonly grants: GrantBook;
  readonly faults = new FaultBox();
  readonly ledger = new CallLedger();
  readonly #closing = new AbortController();

  /**
   * @param collections names of what a person has documents of.
   * @param codeMs how long a code can be redeemed; ten minutes unless said.
   * @param rotates whether a refresh brings a new refresh token; it does unless said.
   */
  constructor(
    readonly now: Clock,
    private readonly collections: readonly string[],
    codeMs?: number,
    rotates?: boolean,
  ) {
    this.grants = new GrantBook(now, codeMs, rotates);
  }

  /** The app of these credentials; any live secret is accepted. */
  appOf(clientId: string | null | undefined, clientSecret: string | null | undefined): A | undefined {
    const app = this.apps.get(clientId ?? '');
    return clientSecret && app?.secrets.includes(clientSecret) ? app : undefined;
  }

  addPerson(name: string, subjectId = this.newSubjectId()): Person<D> {
    const documents = Object.fromEntries(this.collections.map((collection) => [collection, new Map<string, D>()]));
    const person = { subjectId, name, documents };
    this.people.set(subjectId, person);
    return person;
  }

  /** Waits, or less when the process ends. */
  readonly pause = async (ms: number): Promise<void> => {
    if (ms > 0) await wait(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  };

  clear(): void {
    for (const part of [this.apps, this.people, this.grants, this.faults, this.ledger]) part.clear();
  }

  close(): void {
    this.#closing.abort();
  }

  protected newSubjectId(): string {
    return randomUUID().replaceAll('-', '');
  }
}

/** @throws when a stand-in asks for a collection that it never named. */
export function documentsOf<D>({ documents }: Person<D>, collection: string): Map<string, D> {
  const held = documents[collection];
  if (held === undefined) throw new Error(`No person has documents of ${collection}`);
  return held;
}
