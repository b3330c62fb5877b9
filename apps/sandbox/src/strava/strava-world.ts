import type { Clock } from '@tributary/service-shell';
import type { Target } from '../webhook-sender.js';
import { type App, World } from '../world.js';
import { type StravaDocument, collectionNames } from './documents.js';

export interface StravaApp extends App {
  /** Strava documents no signature and shows one: off unless said. */
  readonly signsWebhooks: boolean;
}

/** Numbers of athletes have eight digits, those of subscriptions six. */
const FIRST_ATHLETE = 90_000_000;
const FIRST_SUBSCRIPTION = 310_000;

/** One subscription for each app. */
export class StravaWorld extends World<StravaApp, StravaDocument> {
  readonly #subscriptions = new Map<string, Target>();
  #lastAthlete = FIRST_ATHLETE;
  #lastSubscription = FIRST_SUBSCRIPTION;

  constructor(now: Clock) {
    super(now, collectionNames);
  }

  subscriptions(): readonly Target[] {
    return [...this.#subscriptions.values()];
  }

  subscriptionOf(clientId: string): Target | undefined {
    return this.#subscriptions.get(clientId);
  }

  subscribe(clientId: string, callbackUrl: string): Target {
    this.#lastSubscription += 1;
    const subscription = { id: String(this.#lastSubscription), clientId, callbackUrl };
    this.#subscriptions.set(clientId, subscription);
    return subscription;
  }

  unsubscribe(clientId: string): void {
    this.#subscriptions.delete(clientId);
  }

  override clear(): void {
    super.clear();
    this.#subscriptions.clear();
  }

  protected override newSubjectId(): string {
    this.#lastAthlete += 1;
    return String(this.#lastAthlete);
  }
}
