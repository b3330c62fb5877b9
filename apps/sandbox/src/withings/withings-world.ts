import { randomBytes } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';
import type { Target } from '../webhook-sender.js';
import { type App, World } from '../world.js';
import { type WithingsDocument, collectionNames } from './documents.js';

export interface Subscription extends Target {
  readonly subjectId: string;
  readonly appli: string;
}

/** Ids are numbers of eight digits. */
const FIRST_ID = 38_000_000;

/** Besides what every stand-in knows: who is told of what at which address, and the nonces of signed calls. */
export class WithingsWorld extends World<App, WithingsDocument> {
  #subscriptions: Subscription[] = [];
  readonly #nonces = new Set<string>();
  #lastId = FIRST_ID;

  constructor(now: Clock) {
    // A code lives for half a minute.
    super(now, collectionNames, 30_000);
  }

  subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  /** Once more for the same address changes nothing. */
  subscribe(subscription: Omit<Subscription, 'id'>): void {
    const id = JSON.stringify([subscription.clientId, subscription.subjectId, subscription.appli, subscription.callbackUrl]);
    if (this.#subscriptions.every((one) => one.id !== id)) this.#subscriptions.push({ id, ...subscription });
  }

  /** @returns how many there were. */
  unsubscribe(matches: (one: Subscription) => boolean): number {
    const before = this.#subscriptions.length;
    this.#subscriptions = this.#subscriptions.filter((one) => !matches(one));
    return before - this.#subscriptions.length;
  }

  newNonce(): string {
    const nonce = randomBytes(16).toString('hex');
    this.#nonces.add(nonce);
    return nonce;
  }

  /** Good for one call. */
  useNonce(nonce: string): boolean {
    return this.#nonces.delete(nonce);
  }

  override clear(): void {
    super.clear();
    this.#subscriptions = [];
    this.#nonces.clear();
  }

  protected override newSubjectId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }
}
