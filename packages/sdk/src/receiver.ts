import { type ClaimKey, type ClaimStore, type TransactionalStore } from './claim-store.js';
import { type EventOf, type EventType, type VerifiedEvent } from './events.js';
import { type Handler, checkLeases, failedAt, handleInTransaction, handleLeased } from './handle-once.js';
import { type SecretSource, createKeyring } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput } from './read-body.js';
import { type HeadersInput } from './read-headers.js';
import { type Problem, type ReceiverOutcome } from './receiver-outcome.js';
import { atMostEvery, guarded, writeProblem } from './report-problem.js';
import { webCrypto } from './signature.web.js';
import { VerificationError } from './verification-error.js';
import { type VerifyOptions, checkTolerance, verifyWithKeys } from './verify.js';

/** `otherwise` gets every event that has no handler of its own, types newer than this SDK included. */
export type Handlers<Transaction = undefined> = { readonly [T in EventType]?: Handler<EventOf<T>, Transaction> } & {
  readonly otherwise?: Handler<VerifiedEvent, Transaction>;
};

export interface ReceiverOptions<Transaction = undefined> extends Omit<VerifyOptions, 'explain'> {
  /** Name of the endpoint, if several share one store. Default `default`. */
  readonly endpoint?: string;
  /** One, several, or a function that is asked at each request with the name of the endpoint. */
  readonly secrets: SecretSource;
  /** One that leases, or one that shares a transaction with the handlers. */
  readonly store: ClaimStore | TransactionalStore<Transaction>;
  readonly handlers: Handlers<Transaction>;
  /** Default 60; extended by itself while the handler runs. A process that dies holds its event back for as long. */
  readonly leaseSeconds?: number;
  /** After so long a handler is taken for one that hangs: its `signal` aborts and its lease is left to end. Default 600. */
  readonly maxHandlingSeconds?: number;
  /** Told of every refusal and failure. Default: written with `console.error`, refusals at most one in ten seconds. */
  readonly onProblem?: (problem: Problem) => void;
  /** Told how every request ended: for counters, and for the lag (`event.sentAt`, `event.timestamp`). */
  readonly onOutcome?: (outcome: ReceiverOutcome) => void;
}

export interface ReceivedRequest {
  readonly body: BodyInput;
  readonly headers: HeadersInput;
  /** Which endpoint it came to, where one receiver serves several. Default: that of the options. */
  readonly endpoint?: string;
}

export interface Receiver {
  /** Never rejects; every fault is an outcome. `replyTo` turns an outcome into an HTTP answer. */
  receive(request: ReceivedRequest): Promise<ReceiverOutcome>;
  /**
   * The same path from the claim on, for an event that is proved in another way: read from the API, under your own key. Never
   * rejects.
   */
  accept(event: VerifiedEvent, endpoint?: string): Promise<ReceiverOutcome>;
  /** From now on every request is answered 503; settles when the handlers that run have ended. For the end of a process. */
  drain(): Promise<void>;
}

/** How long a sender is asked to wait while a process ends. */
const drainRetrySeconds = 5;

/**
 * Verify, claim, handle, complete. An event is handled once, at whatever number of processes it arrives however often. Under
 * leases there is one exception: a process that dies between the end of the handler and the completion leaves an event that is
 * handled again. In transactional mode there is none. Order is not promised; guard what you store with `applyIfNewer`.
 * @throws VerificationError `no_secret`, `malformed_secret` when `secrets` is given as it is and is faulty; RangeError for times that are none
 */
export function createReceiver<Transaction = undefined>(options: ReceiverOptions<Transaction>): Receiver {
  const { endpoint: ownEndpoint = 'default', store, handlers, leaseSeconds = 60, maxHandlingSeconds = 600 } = options;
  const { toleranceSeconds = 300, now = Date.now, maxBodyBytes = 1_048_576 } = options;
  checkTolerance(toleranceSeconds);
  checkLeases({ leaseSeconds, maxHandlingSeconds });
  const keyring = createKeyring(options.secrets, options.crypto ?? webCrypto);
  const seldom = atMostEvery(10_000, now);
  const report = guarded(options.onProblem ?? writeProblem);
  const tell = guarded(options.onOutcome ?? (() => undefined));
  const running = new Set<Promise<ReceiverOutcome>>();
  let draining = false;

  async function proved(request: ReceivedRequest, endpoint: string): Promise<VerifiedEvent | ReceiverOutcome> {
    const check = async (explain: boolean) => {
      const verifying = { toleranceSeconds, now, maxBodyBytes, explain };
      return parseEvent(await verifyWithKeys(request.body, request.headers, await keyring(endpoint), verifying));
    };
    try {
      return await check(false);
    } catch (error) {
      if (!(error instanceof VerificationError)) return failedAt('verify', error, undefined);
      // Forgers may come in crowds, and an explanation costs ten times a refusal: it is for the one who sets this up.
      const told = seldom();
      const explained = (reason: unknown) => (reason instanceof VerificationError ? reason : error);
      const refusal = told && error.code === 'signature_mismatch' ? await check(true).then(() => error, explained) : error;
      if (told || options.onProblem) report({ is: 'refused', error: refusal });
      return { is: 'refused', error: refusal };
    }
  }

  async function handle(event: VerifiedEvent, endpoint: string): Promise<ReceiverOutcome> {
    const handler = handlerOf(handlers, event);
    if (!handler) return { is: 'ignored', event };
    const key: ClaimKey = { endpoint, id: event.id };
    if ('once' in store) return handleInTransaction(store, key, event, handler);
    return handleLeased(store, key, event, handler as Handler<VerifiedEvent>, { leaseSeconds, maxHandlingSeconds });
  }

  async function ended(work: () => Promise<ReceiverOutcome>): Promise<ReceiverOutcome> {
    const run = draining ? Promise.resolve<ReceiverOutcome>({ is: 'draining', retryAfterSeconds: drainRetrySeconds }) : work();
    running.add(run);
    const outcome = await run.finally(() => running.delete(run));
    if (outcome.is === 'failed') report(outcome);
    tell(outcome);
    return outcome;
  }

  return {
    receive: (request) =>
      ended(async () => {
        const endpoint = request.endpoint ?? ownEndpoint;
        const event = await proved(request, endpoint);
        return 'is' in event ? event : handle(event, endpoint);
      }),
    accept: (event, endpoint = ownEndpoint) => ended(() => handle(event, endpoint)),
    async drain() {
      draining = true;
      await Promise.allSettled(running);
    },
  };
}

function handlerOf<Transaction>(handlers: Handlers<Transaction>, event: VerifiedEvent): Handler<VerifiedEvent, Transaction> | undefined {
  // Own properties of known types only: a type is text from outside, and `constructor` is text too.
  const own = event.known && Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined;
  return (own as Handler<VerifiedEvent, Transaction> | undefined) ?? handlers.otherwise;
}
