import type { Caller } from './caller.js';

/** What a key was found to be, without what belongs to one request. */
export interface KnownCaller extends Omit<Caller, 'requestId'> {
  readonly expiresAt: Date | null;
}

/** Longest that a key which was revoked elsewhere (in another process, or in the database itself) still opens anything here. */
export const KNOWN_MS = 3_000;
/** From then on one request looks anew while the others go on: so none of them all waits at once. */
const LOOK_AGAIN_MS = 1_500;
/** About 5 MB. */
const MOST = 10_000;

interface Known {
  readonly caller: KnownCaller;
  /** When the look began that found it: what was revoked later, it cannot have seen. */
  readonly seenAt: number;
  lookingAgain: boolean;
}

/**
 * API keys that were found a moment ago, by their hash, so that most requests need not ask the database whose they are. Holds good keys only:
 * what is unknown, revoked or expired is looked up each time. All times in milliseconds since the epoch.
 */
export class KnownKeys {
  readonly #byHash = new Map<string, Known>();
  #revocations = 0;

  /** @returns undefined: look it up. */
  find(hash: string, now: number): KnownCaller | undefined {
    const known = this.#byHash.get(hash);
    if (known === undefined) return undefined;
    const age = now - known.seenAt;
    // A clock that was set back would make it young again.
    if (age < 0 || age >= KNOWN_MS || (known.caller.expiresAt !== null && known.caller.expiresAt.getTime() <= now)) {
      this.#byHash.delete(hash);
      return undefined;
    }
    if (age < LOOK_AGAIN_MS || known.lookingAgain) return known.caller;
    known.lookingAgain = true;
    return undefined;
  }

  /** To be called before a key is looked up, with the time of it. @returns what to do with what was found. */
  beginLook(hash: string, now: number): { found(caller: KnownCaller): void; refused(): void } {
    const revocations = this.#revocations;
    return {
      found: (caller) => {
        // It may have read the row before a revocation that is done by now.
        if (revocations !== this.#revocations) return;
        this.#byHash.delete(hash);
        if (this.#byHash.size >= MOST) this.#byHash.delete(this.#byHash.keys().next().value as string);
        this.#byHash.set(hash, { caller, seenAt: now, lookingAgain: false });
      },
      refused: () => void this.#byHash.delete(hash),
    };
  }

  /** To be called when a key was revoked here: the next request with it is refused. */
  revoked(): void {
    this.#revocations += 1;
    // Revoking is rare, and looking anew costs one descent of an index.
    this.#byHash.clear();
  }
}
