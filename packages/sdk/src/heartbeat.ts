export interface Heartbeat {
  /** Aborted when the lease is lost, or will not be extended any more: stop, and write nothing more. */
  readonly signal: AbortSignal;
  stop(): void;
}

export interface HeartbeatOptions {
  readonly leaseSeconds: number;
  /** After so long a handler is taken for one that hangs: its lease is left to end. */
  readonly maxHandlingSeconds: number;
  /** A new lease from now; false when another holds the event. */
  extend(): Promise<boolean>;
}

/** Extends a lease at every third of it, for as long as the handler runs. A beat that the store does not answer is tried again at the next. */
export function startHeartbeat({ leaseSeconds, maxHandlingSeconds, extend }: HeartbeatOptions): Heartbeat {
  const aborter = new AbortController();
  const beatSeconds = leaseSeconds / 3;
  let handledSeconds = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    if (handledSeconds + beatSeconds > maxHandlingSeconds) {
      const left = Math.max(0, maxHandlingSeconds - handledSeconds);
      timer = setTimeout(() => aborter.abort(new Error(`The handler took longer than ${maxHandlingSeconds} s.`)), left * 1000);
      return;
    }
    timer = setTimeout(() => void beat(), beatSeconds * 1000);
  };
  const beat = async (): Promise<void> => {
    handledSeconds += beatSeconds;
    const holds = await extend().catch(() => true);
    if (timer === undefined) return;
    if (holds) next();
    else aborter.abort(new Error('The lease was lost: another handles the event.'));
  };
  next();
  return {
    signal: aborter.signal,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
