import type { EnvironmentName, NoAnswer, Reply } from '@tributary/domain';
import { Agent, type Dispatcher } from 'undici';
import type { AddressPolicy } from './allowed-address.js';
import { noAnswerOf } from './no-answer-of.js';
import type { ResolveHost } from './resolve-host.js';
import { vettedLookup } from './vetted-lookup.js';
import { type VettedUrl, vetUrl } from './vet-url.js';

/** The only socket that leaves this process for a customer, and every limit of it. */
export const limits = {
  /** From name lookup to the last byte of the answer. */
  deadlineMs: 10_000,
  /** What is kept of an answer. A longer one is cut while it is read; that is no failure. */
  replyBytesKept: 65_536,
  replyHeadBytes: 16_384,
  replyHeadersKept: 50,
  redirects: 0,
  /** Below the 5 s after which a Node server closes an idle connection, so that we rarely write into one that is closing. */
  keepAliveMs: 4_000,
  /** URLs whose verdict is remembered: it depends on nothing but the text and the policy of this process. */
  vettedUrls: 2_000,
} as const;

export interface EndpointPost {
  readonly url: string;
  readonly environment: EnvironmentName;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostResult {
  readonly reply: Reply;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** When the request was written; undefined when it never was. */
  readonly firstByteAt: number | undefined;
  readonly durationMs: number;
  /** Of the answer's head, if there was one, even when the rest did not come. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>> | undefined;
  readonly responseBody: Buffer | undefined;
}

export interface PosterOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  readonly clock: () => number;
  readonly deadlineMs?: number;
  /** PEM of an authority to trust instead of the usual ones. */
  readonly ca?: string;
}

export interface Poster {
  /** Never throws: whatever happens is a result. */
  post(request: EndpointPost): Promise<PostResult>;
  close(): Promise<void>;
}

export function createPoster({ policy, resolve, clock, ca, deadlineMs = limits.deadlineMs }: PosterOptions): Poster {
  // Connections of an origin are not capped here: who sends bounds that for each endpoint, and two tenants' endpoints at one origin
  // must not queue behind each other.
  const agent = (allows: (address: string) => boolean) =>
    new Agent({
      pipelining: 1,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: limits.keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: limits.replyHeadBytes,
      connect: {
        timeout: deadlineMs,
        lookup: vettedLookup(resolve, allows),
        autoSelectFamilyAttemptTimeout: 1_500,
        ...(ca === undefined ? {} : { ca }),
      },
    });
  const anywhere = agent(policy.allows);
  const onlyAllowListed = agent(policy.isAllowListed);
  const targets = new Map<string, Target>();
  const targetOf = ({ url: text, environment }: EndpointPost): Target => {
    const key = `${environment} ${text}`;
    let target = targets.get(key);
    if (target === undefined) {
      const vetted = vetUrl(text, environment, policy);
      if (vetted.is !== 'ok') target = vetted.is;
      else {
        const { origin, pathname, search } = vetted.url;
        target = { dispatcher: vetted.onlyAllowListed ? onlyAllowListed : anywhere, origin, path: pathname + search };
      }
      if (targets.size >= limits.vettedUrls) targets.clear();
      targets.set(key, target);
    }
    return target;
  };

  return {
    async post(request) {
      const startedAt = clock();
      const target = targetOf(request);
      if (typeof target === 'string') return refusedUnsent(target, startedAt);
      const answer = await exchange(target, request, { clock, deadlineMs });
      return { ...answer, startedAt, durationMs: clock() - startedAt };
    },
    async close() {
      await Promise.all([anywhere.destroy(), onlyAllowListed.destroy()]);
    },
  };
}

function refusedUnsent(why: NoAnswer, startedAt: number): PostResult {
  return {
    reply: { is: 'unanswered', why },
    startedAt,
    firstByteAt: undefined,
    durationMs: 0,
    status: undefined,
    responseHeaders: undefined,
    responseBody: undefined,
  };
}

/** Where a URL leads, or why it leads nowhere. */
type Target = { readonly dispatcher: Dispatcher; readonly origin: string; readonly path: string } | Exclude<VettedUrl['is'], 'ok'>;
type Answer = Omit<PostResult, 'startedAt' | 'durationMs'>;
interface ExchangeOptions {
  readonly clock: () => number;
  readonly deadlineMs: number;
}

function exchange(
  { dispatcher, origin, path }: Exclude<Target, string>,
  request: EndpointPost,
  { clock, deadlineMs }: ExchangeOptions,
): Promise<Answer> {
  return new Promise((settle) => {
    let controller: Dispatcher.DispatchController | undefined;
    let firstByteAt: number | undefined;
    let status: number | undefined;
    let retryAfter: string | undefined;
    let responseHeaders: Record<string, string> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    let over = false;

    const end = (why: NoAnswer | undefined) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const reply: Reply =
        why === undefined && status !== undefined
          ? { is: 'answered', status, retryAfter }
          : { is: 'unanswered', why: why ?? 'bad_response' };
      const responseBody = status === undefined ? undefined : Buffer.concat(chunks);
      settle({ reply, firstByteAt, status, responseHeaders, responseBody });
    };
    const timer = setTimeout(() => {
      end('timeout');
      controller?.abort(new Error('The deadline has passed'));
    }, deadlineMs);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        if (over) started.abort(new Error('The deadline passed before there was a connection'));
        else firstByteAt = clock();
      },
      onResponseStart(_controller, statusCode, headers) {
        if (statusCode < 200) return; // informational: the answer is still to come
        status = statusCode;
        retryAfter = textOf(headers['retry-after']);
        responseHeaders = keptHeaders(headers);
      },
      onResponseData(reading, chunk) {
        if (over) return;
        chunks.push(chunk.subarray(0, limits.replyBytesKept - size));
        size += chunk.length;
        if (size < limits.replyBytesKept) return;
        end(undefined);
        reading.abort(new Error('The answer is longer than what is kept of it'));
      },
      onResponseEnd: () => end(undefined),
      onResponseError: (_controller, error) => end(noAnswerOf(error)),
    };
    try {
      dispatcher.dispatch({ origin, path, method: 'POST', headers: request.headers, body: request.body }, handler);
    } catch (error) {
      end(noAnswerOf(error));
    }
  });
}

type HeadersOfReply = Record<string, string | string[] | undefined>;

function keptHeaders(headers: HeadersOfReply): Record<string, string> {
  // Cookies are credentials of the receiver's own.
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    if (name === 'set-cookie') continue;
    kept[name] = textOf(headers[name]) ?? '';
    count += 1;
    if (count === limits.replyHeadersKept) break;
  }
  return kept;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
