import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';
import { type App, World } from '../world.js';
import { type PolarDocument, collectionNames } from './documents.js';

export const eventNames = ['EXERCISE', 'SLEEP', 'ACTIVITY_SUMMARY', 'CONTINUOUS_HEART_RATE', 'PHYSICAL_INFORMATION'] as const;
export type EventName = (typeof eventNames)[number];

/** One for each app. */
export interface Webhook {
  readonly id: string;
  readonly clientId: string;
  /** Shown when it is made, and never again. */
  readonly key: string;
  callbackUrl: string;
  events: readonly string[];
  active: boolean;
}

/** Ids are numbers of eight digits. */
const FIRST_ID = 47_000_000;

/** Besides what every stand-in knows: each app's webhook, and whom it registered. */
export class PolarWorld extends World<App, PolarDocument> {
  readonly webhooks = new Map<string, Webhook>();
  readonly #registered = new Set<string>();
  #lastId = FIRST_ID;

  constructor(now: Clock) {
    super(now, collectionNames);
  }

  addWebhook(clientId: string, callbackUrl: string, events: readonly string[]): Webhook {
    const webhook = { id: randomUUID(), clientId, key: randomBytes(24).toString('base64url'), callbackUrl, events, active: true };
    this.webhooks.set(clientId, webhook);
    return webhook;
  }

  isRegistered(clientId: string, subjectId: string): boolean {
    return this.#registered.has(`${clientId} ${subjectId}`);
  }

  register(clientId: string, subjectId: string): void {
    this.#registered.add(`${clientId} ${subjectId}`);
  }

  unregister(clientId: string, subjectId: string): void {
    this.#registered.delete(`${clientId} ${subjectId}`);
    this.grants.withdraw(subjectId, clientId);
  }

  override clear(): void {
    super.clear();
    this.webhooks.clear();
    this.#registered.clear();
  }

  protected override newSubjectId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }
}
