import { performance } from 'node:perf_hooks';
import type { Clock } from '@tributary/service-shell';
import { Agent, request } from 'undici';
import type { CallLedger } from './call-ledger.js';
import type { FaultBox } from './faults.js';

export interface Delivery {
  readonly clientId: string;
  readonly fate: 'delivered' | 'refused' | 'unanswered' | 'held' | 'dropped';
  /** 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

/** What leaves: headers and bytes as they go out. */
export interface SignedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Where something is sent, and on whose behalf. */
export interface Target {
  readonly id: string;
  readonly clientId: string;
  readonly callbackUrl: string;
}

/** What every provider's webhook is about, in the words of the stand-in; each adds its own. */
export interface Facts {
  readonly subjectId: string;
  readonly dataType: string;
}

/** One POST that left. */
interface SentPost<F extends Facts> extends Delivery {
  /** Epoch milliseconds. */
  readonly at: number;
  /** 0 is the first try. */
  readonly retry: number;
  readonly callbackUrl: string;
  readonly facts: F;
  readonly post: SignedPost;
}

export interface Outgoing<F extends Facts> {
  readonly subscription: Target;
  readonly facts: F;
  /** Makes headers and bytes at the moment of sending. */
  readonly stamp: (now: number) => SignedPost;
  readonly retries: boolean;
}

interface SenderParts {
  readonly now: Clock;
  readonly faults: FaultBox;
  readonly ledger: CallLedger;
  /** Seconds before each further try. */
  readonly retryWaitsS: readonly number[];
  /** Statuses that count as received. */
  readonly received: (status: number) => boolean;
  /** Whether the target is still to be told: asked before each further try. */
  readonly isWanted: (target: Target) => boolean;
  /** Told of every answer, for providers that cancel on one. @returns true when nothing is to be tried again. */
  readonly ended?: (target: Target, status: number) => boolean;
}

const KEPT = 2_000;

/** Posts webhooks, keeps the last of them, and sends again what was not received. */
export class WebhookSender<F extends Facts> {
  readonly #agent = new Agent({ keepAliveTimeout: 10_000 });
  readonly #timers = new Set<NodeJS.Timeout>();
  #sent: SentPost<F>[] = [];
  #closed = false;

  constructor(private readonly parts: SenderParts) {}

  sent(): readonly SentPost<F>[] {
    return this.#sent;
  }

  send(outgoing: Outgoing<F>): Promise<Delivery> {
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

  async #attempt(outgoing: Outgoing<F>, retry: number, kept: SignedPost | undefined): Promise<Delivery> {
    const { now, ledger, faults, ended } = this.parts;
    const { subscription, facts } = outgoing;
    const { clientId, callbackUrl } = subscription;
    const at = now();
    const post = kept ?? outgoing.stamp(at);
    const delivery = await this.#post(clientId, callbackUrl, post);
    ledger.note('webhooksSent', facts.subjectId, facts.dataType);
    this.#sent.push({ ...delivery, at, retry, callbackUrl, facts, post });
    if (this.#sent.length > KEPT) this.#sent.shift();
    const over = ended?.(subscription, delivery.status) ?? false;
    if (!over && delivery.fate !== 'delivered' && outgoing.retries) {
      this.#later(outgoing, retry, faults.retriesKeepTimestamp ? post : undefined);
    }
    return delivery;
  }

  #later(outgoing: Outgoing<F>, retry: number, kept: SignedPost | undefined): void {
    const waitS = this.parts.retryWaitsS[retry];
    if (waitS === undefined || this.#closed) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (!this.parts.isWanted(outgoing.subscription)) return;
        void this.#attempt(outgoing, retry + 1, kept);
      },
      waitS * 1000 * this.parts.faults.retryScale,
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
      const signal = AbortSignal.timeout(this.parts.faults.answerTimeoutMs);
      const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body, dispatcher: this.#agent, signal });
      await answer.dump();
      return ended(statusCode, this.parts.received(statusCode) ? 'delivered' : 'refused');
    } catch {
      return ended(0, 'unanswered');
    }
  }
}

/** One after the other's answer, or all at once. */
export async function runAll<T>(tasks: readonly (() => Promise<T>)[], concurrent: boolean): Promise<T[]> {
  if (concurrent) return Promise.all(tasks.map((task) => task()));
  const results: T[] = [];
  for (const task of tasks) results.push(await task());
  return results;
}
