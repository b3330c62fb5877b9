/** Why a POST to an endpoint ended without a whole answer's head. */
export const noAnswers = [
  /** No whole answer within the deadline, from name lookup to last byte. */
  'timeout',
  'connection_refused',
  'connection_reset',
  /** The other side hung up before it answered. */
  'connection_closed',
  'unreachable',
  /** The certificate is not valid for the host, or the handshake failed. */
  'tls_invalid',
  'dns_failed',
  /** The host stands, or its name points, where we do not send: private, local and reserved networks. */
  'address_refused',
  /** Not http(s), with credentials in it, or without TLS in a live environment. */
  'url_refused',
  /** What came back is no HTTP. */
  'bad_response',
] as const;

export type NoAnswer = (typeof noAnswers)[number];

/** What a POST to an endpoint ended in. */
export type Reply =
  | { readonly is: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly is: 'unanswered'; readonly why: NoAnswer };

/** One word for every attempt: stored with it, counted and logged. */
export const attemptOutcomes = ['delivered', 'redirected', 'gone', 'rate_limited', 'unavailable', 'http_error', ...noAnswers] as const;

export type AttemptOutcome = (typeof attemptOutcomes)[number];

export interface ReplyVerdict {
  readonly outcome: AttemptOutcome;
  /** Pause that the endpoint asked for, if it did and may. */
  readonly askedToWaitMs: number | undefined;
}

/** 2xx is success, everything else is not; a redirect is never followed, since a signed event is meant for one address. */
export function readReply(reply: Reply, now: number): ReplyVerdict {
  if (reply.is === 'unanswered') return { outcome: reply.why, askedToWaitMs: undefined };
  const { status } = reply;
  if (status >= 200 && status < 300) return { outcome: 'delivered', askedToWaitMs: undefined };
  if (status >= 300 && status < 400) return { outcome: 'redirected', askedToWaitMs: undefined };
  if (status === 410) return { outcome: 'gone', askedToWaitMs: undefined };
  if (status === 429) return { outcome: 'rate_limited', askedToWaitMs: retryAfterMs(reply.retryAfter, now) };
  if (status === 503) return { outcome: 'unavailable', askedToWaitMs: retryAfterMs(reply.retryAfter, now) };
  return { outcome: 'http_error', askedToWaitMs: undefined };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** RFC 9110 §5.6.7: the form of today, and the two that a recipient must still read. */
const DATES = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) GMT$/i,
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) GMT$/i,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<h>\d{2}):(?<m>\d{2}):(?<s>\d{2}) (?<year>\d{4})$/i,
];

/**
 * `Retry-After` as seconds or as an HTTP date.
 * @returns milliseconds from now, 0 for a date gone by; undefined when the header is missing or is neither.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  for (const form of DATES) {
    const parts = form.exec(text)?.groups;
    const month = MONTHS.indexOf(parts?.['month']?.toLowerCase() ?? '');
    if (!parts || month < 0) continue;
    const at = Date.UTC(
      fullYear(parts['year'] as string, now),
      month,
      ...(['day', 'h', 'm', 's'].map((p) => Number(parts[p])) as [number]),
    );
    return Math.max(0, at - now);
  }
  return undefined;
}

/** Two digits that seem more than 50 years ahead mean the last century (RFC 9110 §5.6.7). */
function fullYear(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const thisYear = new Date(now).getUTCFullYear();
  const year = Math.floor(thisYear / 100) * 100 + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
