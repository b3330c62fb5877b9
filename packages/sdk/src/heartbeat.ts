export interface Heartbeat {
  /** Aborted when the lease is lost, or will not be extended any more: stop, and write nothing more. */
  readonly signal: AbortSignal;
  /** A lease of so many seconds from now, which no later beat makes shorter; false when another holds the event. */
  extendLease(seconds: number): Promise<boolean>;
  stop(): void;
}

export interface HeartbeatOptions {
  readonly leaseSeconds: number;
  /** After so long a handler is taken for one that hangs: its lease is left to end. */
  readonly maxHandlingSeconds: number;
  /** A new lease from now; false when another holds the event. */
  extend(seconds: number): Promise<boolean>;
}

const beatsOfLease = 3;

/**
 * Extends a lease at every third of it, for as long as the handler runs. A beat that the store does not answer is tried again at the next,
 * whether the store fails or says nothing; after a whole lease without an answer the event counts as lost.
 */
export function startHeartbeat({ leaseSeconds, maxHandlingSeconds, extend }: HeartbeatOptions): Heartbeat {
  const aborter = new AbortController();
  const beatMs = (leaseSeconds * 1000) / beatsOfLease;
  /** By a clock that no one sets. */
  let askedUntil = 0;
  let unanswered = 0;
  let ended = false;
  const end = (reason?: string): void => {
    if (ended) return;
    ended = true;
    clearInterval(beats);
    clearTimeout(limit);
    if (reason !== undefined) aborter.abort(new Error(reason));
  };
  const beat = async (): Promise<void> => {
    const asked = (askedUntil - performance.now()) / 1000;
    // This beat would be the last of a lease whose others were not answered: it has ended, and another may have the event.
    if (asked <= 0 && unanswered >= beatsOfLease - 1) {
      return end('The lease was lost: the store has not answered for as long as it lasts.');
    }
    unanswered++;
    const holds = await extend(Math.max(leaseSeconds, asked)).catch(() => undefined);
    if (holds !== undefined) unanswered = 0;
    if (holds === false) end('The lease was lost: another handles the event.');
  };
  const beats = setInterval(() => void beat(), beatMs);
  const limit = setTimeout(() => end(`The handler took longer than ${maxHandlingSeconds} s.`), maxHandlingSeconds * 1000);
  return {
    signal: aborter.signal,
    extendLease(seconds) {
      // Before the answer: a beat that overtakes it must not make the lease shorter again.
      askedUntil = Math.max(askedUntil, performance.now() + seconds * 1000);
      return extend(seconds);
    },
    stop: () => end(),
  };
}
