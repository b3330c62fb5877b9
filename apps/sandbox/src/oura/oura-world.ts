import type { Clock } from '@tributary/service-shell';
import { type App, World } from '../world.js';
import { type OuraDocument, collectionNames } from './documents.js';
import { SubscriptionBook } from './subscription-book.js';
import { microsecondTime } from './webhook-message.js';

export interface OuraApp extends App {
  readonly subscriptionTtlS: number;
}

/** All that this Oura knows. */
export class OuraWorld extends World<OuraApp, OuraDocument> {
  readonly subscriptions: SubscriptionBook;
  #lastEventUs = 0;

  constructor(now: Clock) {
    super(now, collectionNames);
    this.subscriptions = new SubscriptionBook(now);
  }

  /** Now, to the microsecond and never twice: two changes of one millisecond are two events. */
  nextEventTime(): string {
    this.#lastEventUs = Math.max(this.now() * 1000, this.#lastEventUs + 1);
    return microsecondTime(this.#lastEventUs);
  }

  override clear(): void {
    super.clear();
    this.subscriptions.clear();
  }
}
