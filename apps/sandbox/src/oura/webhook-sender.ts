import { performance } from 'node:perf_hooks';
import type { Logger } from '@tributary/service-shell';
import { Agent, request } from 'undici';
import type { OuraWorld } from './oura-world.js';
import type { Subscription } from './subscription-book.js';
import { type SignedPost, type WebhookFacts } from './webhook-message.js';

export interface Delivery {
  readonly clientId: string;
  readonly fate: 'delivered' | 'refused' | 'unanswered' | 'held' | 'dropped';
  /** 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

/** One POST that left. */
export interface SentPost extends Delivery {
  /** Epoch milliseconds. */
  readonly at: number;
  /** 0 is the first try. */
  readonly retry: number;
  readonly callbackUrl: string;
  readonly facts: WebhookFacts;
  readonly post: SignedPost;
}

export interface Outgoing {
  readonly subscription: Subscription;
  readonly facts: WebhookFacts;
  /** Makes headers and bytes at the moment of sending. */
  readonly stamp: (now: number) => SignedPost;
  readonly retries: boolean;
}

/** Ten retries in an hour in all: "about one hour overall" (providers.md §5.8); the single waits are not published. */
export const RETRY_WAITS_S = [10, 20, 40, 80, 160, 300, 450, 600, 840, 1100] as const;
const KEPT = 2_000;

/** Posts webhooks and keeps the last of them. Sends again on any answer but 2xx, except 410, which cancels the subscription. */
export class WebhookSender {
  readonly #agent = new Agent({ keepAliveTimeout: 10_000 });
  readonly #timers = new Set<NodeJS.Timeout>();
  #sent: SentPost[] = [];
  #closed = false;

  constructor(
    private readonly world: OuraWorld,
    private readonly log: Logger,
  ) {}

  sent(): readonly SentPost[] {
    return this.#sent;
  }

  send(outgoing: Outgoing): Promise<Delivery> {
    return this.#attempt(outgoing, 0, undefined);
  }

  /** Forgets what was sent, and what was to be sent again. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#sent = [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.clear();
    await this.#agent.destroy();
  }

  async #attempt(outgoing: Outgoing, retry: number, kept: SignedPost | undefined): Promise<Delivery> {
    const { subscription, facts } = outgoing;
    const { clientId, callbackUrl } = subscription;
    const at = this.world.now();
    const post = kept ?? outgoing.stamp(at);
    const delivery = await this.#post(clientId, callbackUrl, post);
    this.world.ledger.note('webhooksSent', facts.subjectId, facts.dataType);
    this.#sent.push({ ...delivery, at, retry, callbackUrl, facts, post });
    if (this.#sent.length > KEPT) this.#sent.shift();
    if (delivery.status === 410) {
      this.world.subscriptions.remove(subscription.id);
      this.log.info({ what: 'webhook.subscription_cancelled', subscription: subscription.id });
    } else if (delivery.fate !== 'delivered' && outgoing.retries) {
      this.#later(outgoing, retry, this.world.faults.retriesKeepTimestamp ? post : undefined);
    }
    return delivery;
  }

  #later(outgoing: Outgoing, retry: number, kept: SignedPost | undefined): void {
    const waitS = RETRY_WAITS_S[retry];
    if (waitS === undefined || this.#closed) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (this.world.subscriptions.find(outgoing.subscription.clientId, outgoing.subscription.id) === undefined) return;
        void this.#attempt(outgoing, retry + 1, kept);
      },
      waitS * 1000 * this.world.faults.retryScale,
    );
    this.#timers.add(timer);
  }

  async #post(clientId: string, url: string, { headers, body }: SignedPost): Promise<Delivery> {
    const started = performance.now();
    const ended = (status: number, fate: Delivery['fate']): Delivery => ({
      clientId,
      fate,
      status,
      ms: Math.round((performance.now() - started) * 100) / 100,
    });
    try {
      const signal = AbortSignal.timeout(this.world.faults.answerTimeoutMs);
      const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body, dispatcher: this.#agent, signal });
      await answer.dump();
      return ended(statusCode, statusCode >= 200 && statusCode < 300 ? 'delivered' : 'refused');
    } catch {
      return ended(0, 'unanswered');
    }
  }
}
