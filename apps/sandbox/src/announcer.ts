import { type Delivery, type Facts, type SignedPost, type Target, type WebhookSender, runAll } from './webhook-sender.js';
import type { World } from './world.js';

export interface Copies {
  readonly copies: number;
  /** All at once, or one after the other's answer. */
  readonly concurrent: boolean;
}

export interface AnnouncerParts<F extends Facts> {
  readonly world: Pick<World, 'faults' | 'pause'>;
  readonly sender: WebhookSender<F>;
  /** Who is told: those that the person lets read it. */
  readonly interested: (facts: F) => readonly Target[];
  readonly stamp: (facts: F, target: Target, now: number) => SignedPost;
}

/** Longest that a webhook waits to be overtaken; then it goes alone, since a reordered one is late and not lost. */
const OVERTAKE_MS = 1_000;

/** Tells apps of a change. The webhook faults apply here. */
export class Announcer<F extends Facts> {
  #held: { go: () => Promise<Delivery[]>; timer: NodeJS.Timeout } | undefined;

  constructor(private readonly parts: AnnouncerParts<F>) {}

  async announce(facts: F, copies: Copies): Promise<Delivery[]> {
    const { faults, pause } = this.parts.world;
    const targets = this.parts.interested(facts);
    await pause(faults.delayWebhooksMs);
    const kept = targets.filter(() => !faults.takeDrop());
    const dropped = targets
      .filter((target) => !kept.includes(target))
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

  async #sendTo(targets: readonly Target[], facts: F, { copies, concurrent }: Copies): Promise<Delivery[]> {
    const { sender, stamp } = this.parts;
    const sends = targets.flatMap((subscription) =>
      Array.from(
        { length: copies },
        () => () => sender.send({ subscription, facts, retries: true, stamp: (now) => stamp(facts, subscription, now) }),
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
