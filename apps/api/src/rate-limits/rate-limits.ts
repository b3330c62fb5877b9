import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Windows } from './windows.js';

export interface Allowance {
  readonly allowed: boolean;
  /** Requests in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Until the window begins anew. */
  readonly resetS: number;
}

const WINDOW_S = 60;

/**
 * Counts the requests of each API key. With Redis all processes count together; without it each counts by itself, so a key may then do as much
 * at each of them: a row in PostgreSQL would put a write and a wait for the disk in front of every read. A Redis that is away makes each
 * process count by itself too, since a limit is there to keep the API up.
 */
export class RateLimits {
  readonly #together: RateLimiterRedis | undefined;
  /** Asked without waiting: it stands in front of every request. */
  readonly #alone = new Windows(WINDOW_S * 1_000);

  constructor(
    readonly limit: number,
    redis: object | undefined,
  ) {
    const options = { points: limit, duration: WINDOW_S, keyPrefix: '{tributary}:requests' };
    this.#together =
      redis === undefined
        ? undefined
        : new RateLimiterRedis({
            ...options,
            storeClient: redis,
            useRedisPackage: true,
            rejectIfRedisNotReady: true,
            insuranceLimiter: new RateLimiterMemory(options),
          });
  }

  /** @param now milliseconds since the epoch. A promise only where other processes count too. */
  take(apiKeyId: string, now: number): Allowance | Promise<Allowance> {
    if (this.#together !== undefined) return this.#takeTogether(this.#together, apiKeyId);
    const { count, leftMs } = this.#alone.count(apiKeyId, now);
    return this.#allowance(count <= this.limit, this.limit - count, leftMs);
  }

  async #takeTogether(limiter: RateLimiterRedis, apiKeyId: string): Promise<Allowance> {
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(apiKeyId);
      return this.#allowance(true, remainingPoints, msBeforeNext);
    } catch (error) {
      if (error instanceof RateLimiterRes) return this.#allowance(false, error.remainingPoints, error.msBeforeNext);
      throw error;
    }
  }

  #allowance(allowed: boolean, remaining: number, leftMs: number): Allowance {
    return { allowed, limit: this.limit, remaining: Math.max(0, remaining), resetS: Math.max(1, Math.ceil(leftMs / 1_000)) };
  }
}
