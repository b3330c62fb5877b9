import { type ClaimKey, type ClaimStore } from './claim-store.js';
import { type EventOf, type EventType, type VerifiedEvent } from './events.js';
import { type SecretSource, createKeyring } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput, bodyBytes } from './read-body.js';
import { type HeadersInput } from './read-headers.js';
import { type Problem, type ReceiverOutcome } from './receiver-outcome.js';
import { VerificationError } from './verification-error.js';
import { type VerifyOptions, checkTolerance, verifyWithKeys } from './verify.js';

export interface HandlerContext {
  /** True when an earlier attempt began this event and never finished: part of its work may be there already. */
  readonly takenOver: boolean;
  /**
   * Holds on to the event for so many seconds from now. False: another has taken it over; stop, and write nothing more.
   */
  extendLease(seconds: number): Promise<boolean>;
}

/** Called with each event once it is proved and claimed. Rejecting, or throwing, makes Tributary send it again. */
export type Handler<E extends VerifiedEvent> = (event: E, context: HandlerContext) => void | Promise<void>;

/** `otherwise` gets every event that has no handler of its own, types newer than this SDK included. */
export type Handlers = { readonly [T in EventType]?: Handler<EventOf<T>> } & { readonly otherwise?: Handler<VerifiedEvent> };

export interface ReceiverOptions extends Omit<VerifyOptions, 'explain'> {
  /** Name of the endpoint, if several share one store. Default `default`. */
  readonly endpoint?: string;
  /** One, several, or a function that is asked at each request. */
  readonly secrets: SecretSource;
  readonly store: ClaimStore;
  readonly handlers: Handlers;
  /** Longer than the slowest handler takes. Default 60. A process that dies holds its event back for as long. */
  readonly leaseSeconds?: number;
  /** Told of every refusal and failure. Default: written with `console.error`, refusals at most one in ten seconds. */
  readonly onProblem?: (problem: Problem) => void;
}

export interface Receiver {
  /** Never rejects; every fault is an outcome. {@link replyTo} turns an outcome into an HTTP answer. */
  receive(request: { readonly body: BodyInput; readonly headers: HeadersInput }): Promise<ReceiverOutcome>;
}

/**
 * Verify, claim, handle, complete. An event is handled once, at whatever number of processes it arrives however often, except
 * when a process dies between the end of the handler and the completion: then it is handled again. Order is not promised;
 * guard what you store with `applyIfNewer`.
 * @throws VerificationError `no_secret`, `malformed_secret` when `secrets` is given as it is and is faulty
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { endpoint = 'default', store, handlers, leaseSeconds = 60, toleranceSeconds = 300, now = Date.now } = options;
  checkTolerance(toleranceSeconds);
  if (!(leaseSeconds > 0)) throw new RangeError('leaseSeconds must be more than 0.');
  const keyring = createKeyring(options.secrets);
  const seldom = atMostEvery(10_000, now);
  const report = guarded(options.onProblem);

  async function proved(body: BodyInput, headers: HeadersInput): Promise<VerifiedEvent | ReceiverOutcome> {
    const check = async (explain: boolean) =>
      parseEvent(await verifyWithKeys(bodyBytes(body), headers, await keyring(), { toleranceSeconds, now, explain }));
    try {
      return await check(false);
    } catch (error) {
      if (!(error instanceof VerificationError)) return failed('verify', error, undefined);
      // Forgers may come in crowds, and an explanation costs ten times a refusal: it is for the one who sets this up.
      const told = seldom();
      const refusal = told && error.code === 'signature_mismatch' ? await check(true).then(() => error, asRefusal) : error;
      if (told || options.onProblem) report({ is: 'refused', error: refusal });
      return { is: 'refused', error: refusal };
    }
  }

  function failed(stage: 'verify' | 'claim' | 'handler' | 'complete', error: unknown, event: VerifiedEvent | undefined): ReceiverOutcome {
    const outcome = { is: 'failed', stage, error, event } as const;
    report(outcome);
    return outcome;
  }

  async function released(key: ClaimKey, token: string): Promise<void> {
    try {
      await store.release(key, token);
    } catch {
      // The lease ends by itself.
    }
  }

  async function handle(event: VerifiedEvent, handler: Handler<VerifiedEvent>): Promise<ReceiverOutcome> {
    const key: ClaimKey = { endpoint, id: event.id };
    let stage: 'claim' | 'handler' | 'complete' = 'claim';
    try {
      const claim = await store.claim(key, leaseSeconds);
      if (claim.is === 'done') return { is: 'duplicate', event };
      if (claim.is === 'in-progress') return { is: 'in-progress', event, retryAfterSeconds: claim.retryAfterSeconds };
      const { token, takenOver } = claim;
      stage = 'handler';
      try {
        await handler(event, { takenOver, extendLease: (seconds) => store.extend(key, token, seconds) });
      } catch (error) {
        await released(key, token);
        throw error;
      }
      stage = 'complete';
      if (await store.complete(key, token)) return { is: 'handled', event };
      return failed(stage, new Error(`The lease of ${leaseSeconds} s ended before the handler did, and another took over.`), event);
    } catch (error) {
      return failed(stage, error, event);
    }
  }

  return {
    async receive({ body, headers }) {
      const event = await proved(body, headers);
      if ('is' in event) return event;
      const handler = handlerOf(handlers, event);
      return handler ? handle(event, handler) : { is: 'ignored', event };
    },
  };
}

function handlerOf(handlers: Handlers, event: VerifiedEvent): Handler<VerifiedEvent> | undefined {
  // Own properties of known types only: a type is text from outside, and `constructor` is text too.
  const own = event.known && Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined;
  return (own as Handler<VerifiedEvent> | undefined) ?? handlers.otherwise;
}

/** The error again, if it is a refusal; anything else goes on. */
function asRefusal(error: unknown): VerificationError {
  if (error instanceof VerificationError) return error;
  throw error;
}

function atMostEvery(ms: number, now: () => number): () => boolean {
  let next = -Infinity;
  return () => {
    if (now() < next) return false;
    next = now() + ms;
    return true;
  };
}

/** A report that throws must not turn a handled event into a failed one. */
function guarded(onProblem: ReceiverOptions['onProblem']): (problem: Problem) => void {
  return (problem) => {
    try {
      if (onProblem) onProblem(problem);
      else writeProblem(problem);
    } catch {
      // Nobody is left to tell.
    }
  };
}

function writeProblem(problem: Problem): void {
  const what =
    problem.is === 'refused'
      ? [`Tributary: refused a request (${problem.error.code}). ${problem.error.message}`]
      : [`Tributary: failed at ${problem.stage}${problem.event ? ` of ${problem.event.type} ${problem.event.id}` : ''}.`, problem.error];
  // eslint-disable-next-line no-console -- the last resort of a library: silence would leave its user with a bare 500
  console.error(...what);
}
