import { type Delivery, type WebhookSender, runAll } from '../webhook-sender.js';
import { collections } from './documents.js';
import type { OuraWorld } from './oura-world.js';
import type { Subscription } from './subscription-book.js';
import { type WebhookFacts, signedPost, webhookBody } from './webhook-message.js';

export interface Copies {
  readonly copies: number;
  /** All at once, or one after the other's answer. */
  readonly concurrent: boolean;
}

/** Longest that a webhook waits to be overtaken; then it goes alone, since a reordered one is late and not lost. */
const OVERTAKE_MS = 1_000;

/** Tells subscribed apps of a change as Oura does: only those that the person let read it. The webhook faults apply here. */
export class Announcer {
  #held: { go: () => Promise<Delivery[]>; timer: NodeJS.Timeout } | undefined;

  constructor(
    private readonly world: OuraWorld,
    private readonly sender: WebhookSender<WebhookFacts>,
  ) {}

  async announce(facts: WebhookFacts, copies: Copies): Promise<Delivery[]> {
    const { faults } = this.world;
    const subscriptions = this.#interested(facts);
    await this.world.pause(faults.delayWebhooksMs);
    const kept = subscriptions.filter(() => !faults.takeDrop());
    const dropped = subscriptions
      .filter((s) => !kept.includes(s))
      .map(({ clientId }): Delivery => ({ clientId, fate: 'dropped', status: 0, ms: 0 }));
    if (kept.length === 0) return dropped;
    const all = { ...copies, copies: copies.copies + faults.duplicates };
    const go = () => this.#sendTo(kept, facts, all);
    if (!faults.reorders) return [...dropped, ...(await go())];
    const earlier = this.#takeHeld();
    if (earlier !== undefined) return [...dropped, ...(await go()), ...(await earlier())];
    this.#hold(go);
    return [...dropped, ...kept.map(({ clientId }): Delivery => ({ clientId, fate: 'held', status: 0, ms: 0 }))];
  }

  /** Sends at once what waits to be overtaken. */
  async release(): Promise<void> {
    await this.#takeHeld()?.();
  }

  clear(): void {
    this.#takeHeld();
  }

  #interested({ subjectId, eventType, dataType }: WebhookFacts): readonly Subscription[] {
    const scope = Object.entries(collections).find(([name]) => name === dataType)?.[1].scope;
    const clients = new Set(
      this.world.grants
        .all()
        .filter((g) => g.alive && g.subjectId === subjectId && (scope === undefined || g.scopes.includes(scope)))
        .map((g) => g.clientId),
    );
    return this.world.subscriptions.matching(eventType, dataType).filter((s) => clients.has(s.clientId));
  }

  async #sendTo(subscriptions: readonly Subscription[], facts: WebhookFacts, { copies, concurrent }: Copies): Promise<Delivery[]> {
    const sends = subscriptions.flatMap((subscription) =>
      Array.from(
        { length: copies },
        () => () =>
          this.sender.send({
            subscription,
            facts,
            retries: true,
            stamp: (now) => signedPost(webhookBody(facts), this.world.apps.get(subscription.clientId)?.secrets[0] ?? '', now),
          }),
      ),
    );
    return runAll(sends, concurrent);
  }

  #hold(go: () => Promise<Delivery[]>): void {
    this.#held = { go, timer: setTimeout(() => void this.release(), OVERTAKE_MS) };
  }

  #takeHeld(): (() => Promise<Delivery[]>) | undefined {
    const held = this.#held;
    clearTimeout(held?.timer);
    this.#held = undefined;
    return held?.go;
  }
}
