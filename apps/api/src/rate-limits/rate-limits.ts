import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

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
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;

  constructor(
    readonly limit: number,
    redis: object | undefined,
  ) {
    const options = { points: limit, duration: WINDOW_S, keyPrefix: '{tributary}:requests' };
    const alone = new RateLimiterMemory(options);
    this.#limiter =
      redis === undefined
        ? alone
        : new RateLimiterRedis({
            ...options,
            storeClient: redis,
            useRedisPackage: true,
            rejectIfRedisNotReady: true,
            insuranceLimiter: alone,
          });
  }

  async take(apiKeyId: string): Promise<Allowance> {
    try {
      return this.#allowance(true, await this.#limiter.consume(apiKeyId));
    } catch (error) {
      if (error instanceof RateLimiterRes) return this.#allowance(false, error);
      throw error;
    }
  }

  #allowance(allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
    return { allowed, limit: this.limit, remaining: Math.max(0, remainingPoints), resetS: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
  }
}
