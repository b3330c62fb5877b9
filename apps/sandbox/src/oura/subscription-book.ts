import { randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';
import type { DataType, EventType } from './scopes.js';

export interface Subscription {
  readonly id: string;
  readonly clientId: string;
  callbackUrl: string;
  eventType: EventType;
  dataType: DataType;
  /** Epoch milliseconds; nothing is sent from then on. */
  expiresAt: number;
}

/** One subscription for each app, event type and data type. What has lapsed counts as gone. */
export class SubscriptionBook {
  readonly #byId = new Map<string, Subscription>();

  constructor(private readonly now: Clock) {}

  all(): readonly Subscription[] {
    const now = this.now();
    for (const [id, { expiresAt }] of this.#byId) if (expiresAt <= now) this.#byId.delete(id);
    return [...this.#byId.values()];
  }

  ofApp(clientId: string): readonly Subscription[] {
    return this.all().filter((s) => s.clientId === clientId);
  }

  find(clientId: string, id: string): Subscription | undefined {
    return this.ofApp(clientId).find((s) => s.id === id);
  }

  matching(eventType: EventType, dataType: DataType): readonly Subscription[] {
    return this.all().filter((s) => s.eventType === eventType && s.dataType === dataType);
  }

  taken(clientId: string, eventType: EventType, dataType: DataType): Subscription | undefined {
    return this.matching(eventType, dataType).find((s) => s.clientId === clientId);
  }

  add(subscription: Omit<Subscription, 'id'>): Subscription {
    const added = { id: randomUUID(), ...subscription };
    this.#byId.set(added.id, added);
    return added;
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
  }
}
