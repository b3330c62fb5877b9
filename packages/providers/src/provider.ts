import type { FetchOutcome, Notice, Quota, Whereabouts, Window } from '@tributary/domain';
import type { Answer, RawRequest } from './raw-request.js';

/** How much a proof proves. Below `signed` a payload may only schedule a re-read, never write a value. */
export type Grade = 'signed' | 'signed-partial' | 'shared-secret' | 'path-secret';

/** What a secret is for; several of one purpose may be live at once during a rotation. */
export type SecretPurpose = 'client_secret' | 'webhook_secret' | 'verification_token' | 'service_account';

export interface LiveSecret {
  readonly id: string;
  readonly purpose: SecretPurpose;
  readonly value: string;
}

/** A provider app as an adapter may see it: only secrets that are live now, decrypted. */
export interface AppForVerification {
  readonly clientId: string;
  /** The operator has accepted unsigned payloads of this provider (Garmin's push). Off unless said. */
  readonly acceptsCarried?: boolean;
  /** Where the sandbox plays the origin of the provider's key set, for its apps; no trailing slash. The provider's own unless said. */
  readonly keyOrigin?: string;
  readonly secrets: readonly LiveSecret[];
  /** How far a signed timestamp may lie from now, either way, in milliseconds; the boundary itself is inside. */
  readonly toleranceMs: number;
}

export type RefusalCode =
  | 'no_secret'
  | 'signature_missing'
  | 'signature_mismatch'
  | 'timestamp_missing'
  | 'timestamp_malformed'
  | 'timestamp_stale'
  | 'timestamp_future';

export type Verification =
  | {
      readonly ok: true;
      readonly grade: Grade;
      readonly secretId: string /** Epoch milliseconds. */;
      readonly signedAt: number | undefined;
    }
  | { readonly ok: false; readonly code: RefusalCode };

export interface ParsedDelivery {
  /**
   * `strict`: the same id is always the same delivery (the provider's own id, or a body that carries its time). `reopenable`: made from
   * a body without any time, which two real changes may share; a repeat counts as a duplicate while the first is still waiting, and
   * as news once it was applied.
   */
  readonly deliveryId: { readonly value: string; readonly kind: 'strict' | 'reopenable' };
  readonly notices: readonly Notice[];
  /** How many kinds of data it tells of beside them that we do not read; they are counted, since one of them may be a name that changed. */
  readonly unread?: number;
  /** Where one of its items could not be read, as in {@link MalformedDelivery}; the notices are those of the others. */
  readonly complaint?: string;
  /** It holds something of a person who has no notice here, or of nobody can say whom. Such a body is not kept: an erasure would not find it. */
  readonly bystanders?: true;
  /** The delivery was a proved probe of our address; the app's handshake counts as done. */
  readonly handshake?: true;
  /** Instead of the usual answer, e.g. 201 for such a probe. */
  readonly answer?: Answer;
}

/** What a probe of our address gets. */
export interface ProbeAnswer extends Answer {
  /** Anybody could have sent this probe: it is answered and changes nothing, nor does the app's handshake count as done. */
  readonly unproved?: true;
}

/** A remote key set (Google): kept by the process, fetched again at most once a minute when a key is not in it. */
export interface RemoteKeys {
  /** The document at `url`, from memory if it is there. Throws {@link ProviderUnreachable}. */
  current(url: string): Promise<string>;
  /** Fetched anew, unless that was done less than a minute ago; then undefined. */
  renewed(url: string): Promise<string | undefined>;
}

/** The body is not of the provider's shape. `detail` names the path of the fault, never a value from the body. */
export class MalformedDelivery extends Error {
  override readonly name = 'MalformedDelivery';
  constructor(readonly detail: string) {
    super(detail);
  }
}

/** How ingest ended, for the adapter to say it in the provider's way. 410 is never an answer: Oura cancels on it. */
export type IngestOutcome = 'accepted' | 'unauthenticated' | 'malformed' | 'too-large' | 'unavailable' | 'unsupported';

/** What `docs/providers.md` says of an adapter: plain words, one sentence each. */
export interface ProviderDocs {
  readonly signature: string;
  readonly handshake: string;
  readonly deliveryId: string;
  readonly retries: string;
  readonly limits: string;
  /** Facts on which sources disagree, and how both readings are met; empty when there are none. */
  readonly uncertain: readonly string[];
}

export interface ProviderFacts {
  /** Larger bodies are refused unread. */
  readonly maxBodyBytes: number;
  /** The provider gives up waiting after this. */
  readonly answerDeadlineMs: number;
  /** How long it repeats a delivery that we did not acknowledge; null: it never repeats, so a sweep is owed. */
  readonly retryHorizonMs: number | null;
  readonly grade: Grade;
  /** Origins of remote key sets that verification may fetch. */
  readonly keyOrigins?: readonly string[];
}

/** What of a provider is fetched as a unit. */
export interface CollectionFacts {
  /** OAuth scope that it needs. */
  readonly scope: string;
  /** Can be read by civil-day range (sweep, first read, backfill). */
  readonly byDays: boolean;
  /** Its past cannot be read but is asked for, and comes as webhooks (Garmin): part of a backfill and of no sweep. Off unless said. */
  readonly asked?: boolean;
  /** The kind of record that it is mostly about. */
  readonly holds: 'daily' | 'sleep' | 'workout' | 'measurement' | 'series';
  /**
   * A complete read by days shows all that the provider holds of them, so that what it lacks may be gone. Off unless said. `unless_empty`:
   * but one that shows nothing at all may be the answer to a question that was not understood. `by_id`: it may hide what is there, and
   * each document can be asked for by itself, whose answer is believed.
   */
  readonly authoritative?: boolean | 'unless_empty' | 'by_id';
  /** A session gets another id whenever it is edited or grows; what overlaps by more than a half is one. Off unless said. */
  readonly unstableIds?: true;
  /** Days back from today that the provider shows at all (Polar: 28); undefined: no limit is known. Backfill ends there. */
  readonly horizonDays?: number;
  /** Most days that one read by days may span; 30 unless said. */
  readonly spanDays?: number;
}

/** One limit on calls. Times in milliseconds, tokens in calls. */
export interface BucketFacts {
  /** Names it among those of the same scope, e.g. `quarter_hour`; kept in tables, so it never changes. */
  readonly name: string;
  readonly capacity: number;
  /** `window`: all comes back at once, every `lengthMs`; such windows begin at multiples of their length, counted from the epoch. */
  readonly refill: { readonly is: 'steady'; readonly perS: number } | { readonly is: 'window'; readonly lengthMs: number };
  /** Share of the capacity, 0 to 1, that only live reads may use. */
  readonly reserved: number;
  /** Calls for tokens, subscriptions and the end of a grant count too; else only reads with a person's token do. */
  readonly counts?: 'everything';
}

/** What an answer says of one bucket. */
export interface BucketQuota {
  readonly scope: 'app' | 'connection';
  readonly bucket: string;
  readonly quota: Quota;
}

/** An answer by which a provider refuses a call for the rate of calls. */
export interface RateRefusal {
  readonly scope: 'app' | 'connection';
  /** The bucket that ran out, as far as the answer tells. */
  readonly bucket: string;
  /** When to come back, epoch milliseconds; undefined when it does not say. */
  readonly until: number | undefined;
}

/** What may be called, before the provider has said anything about it. */
export interface ProviderLimits {
  /** Limits of the whole provider app, those of the shortest span first. */
  readonly app: readonly BucketFacts[];
  /** Limits for one person. */
  readonly connection: readonly BucketFacts[];
  /** What an answer, good or bad, says of the limits. Never throws. */
  quotasOf(reply: ProviderReply, now: number): readonly BucketQuota[];
  /** Whether an answer says that there were too many calls, be it 429 or what this provider says instead. Never throws. */
  refusalOf(reply: ProviderReply, now: number): RateRefusal | undefined;
}

/** Where a provider answers; the sandbox's addresses in sandbox apps. No trailing slash. */
export interface Origins {
  readonly api: string;
  readonly authorize: string;
  readonly token: string;
}

/** The client lent to adapters, which open no sockets themselves: deadlines, size limits and the host allow list are its own. */
export interface ProviderHttp {
  send(request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }): Promise<ProviderReply>;
}

export interface ProviderReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The request got no whole answer: refused, reset, timed out, too long. Never carries a token. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(`No whole answer from the provider: ${code}`, options);
  }
}

export interface Grant {
  readonly accessToken: string;
  /** Undefined in an answer to a refresh means: keep the one you have. */
  readonly refreshToken: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
  /** The provider's id of the person, where the answer of the token endpoint names them. */
  readonly subjectId?: string;
}

export type GrantOutcome =
  | { readonly is: 'granted'; readonly grant: Grant }
  /** The provider says that the code or refresh token is worthless. */
  | { readonly is: 'invalid-grant' }
  | { readonly is: 'transient'; readonly code: string };

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface OAuth {
  readonly scopes: readonly string[];
  /** The provider takes a code only with the verifier whose challenge (S256, RFC 7636) its consent page was given. */
  readonly pkce?: true;
  authorizeUrl(input: {
    origins: Origins;
    clientId: string;
    redirectUri: string;
    state: string;
    scopes: readonly string[];
    codeChallenge?: string;
  }): string;
  exchange(
    http: ProviderHttp,
    input: {
      origins: Origins;
      client: ClientCredentials;
      code: string;
      redirectUri: string;
      codeVerifier?: string;
      /** `scope` of the address that the person came back to, where some providers say what was granted. */
      grantedScope?: string;
      now: number;
    },
  ): Promise<GrantOutcome>;
  refresh(
    http: ProviderHttp,
    input: { origins: Origins; client: ClientCredentials; refreshToken: string; now: number },
  ): Promise<GrantOutcome>;
  /** True when the provider no longer honours the token, whether by this call or before it. */
  revoke(
    http: ProviderHttp,
    input: { origins: Origins; client: ClientCredentials; accessToken: string; subjectId: string; now: number },
  ): Promise<boolean>;
  /**
   * The provider's id of the person behind a token, by the smallest read there is, which so also tells whether the token is honoured.
   * Undefined where no read names the person: then {@link Grant.subjectId} does. Throws {@link ProviderUnreachable}, `http_401` when the
   * token is not honoured.
   */
  subject(http: ProviderHttp, input: { origins: Origins; accessToken: string }): Promise<string | undefined>;
  /**
   * What the person permits now, in the words of {@link CollectionFacts.scope}, where the provider can be asked for it. Undefined: it did
   * not say.
   */
  permissions?(http: ProviderHttp, input: { origins: Origins; accessToken: string }): Promise<readonly string[] | undefined>;
}

/** Keeps the provider's webhooks pointed at us: creates what is missing, renews what lapses, leaves the rest. Safe to repeat. */
export interface Subscriptions {
  /**
   * Whose they are. `app`: asked for with the app's own credentials, and looked at daily. `person`: asked for with each person's token.
   * `console`: set up by the operator at the provider, where we cannot look.
   */
  readonly per: 'app' | 'person' | 'console';
  /** Asked for with another secret than the client's; an app that has none is set up in the console. */
  readonly needs?: 'service_account';
  /**
   * Throws {@link ProviderUnreachable}: `subscription_elsewhere` for what leads elsewhere and may not be taken, `subscription_key_lost` when
   * the provider may have made a key that did not reach us.
   */
  ensure(
    http: ProviderHttp,
    input: {
      origins: Origins;
      client: ClientCredentials;
      callbackUrl: string;
      verificationToken: string;
      /** The app has a live `webhook_secret`: what is there need not be made anew for want of its key. */
      knowsWebhookSecret?: boolean;
      /** The newest live `webhook_secret`, for providers that are told what to prove their webhooks with. */
      webhookSecret?: string;
      serviceAccount?: string;
      /** Nobody asked for it just now: what leads to an address that is not this app's was led there by somebody, and stays. */
      onlyMend?: boolean;
      now: number;
    },
  ): Promise<EnsuredSubscriptions>;
  /**
   * For providers that must be asked for each person's webhooks with that person's token. Safe to repeat; done after a consent and with
   * every sweep. Throws {@link ProviderUnreachable}.
   */
  ensureForPerson?(
    http: ProviderHttp,
    input: { origins: Origins; accessToken: string; callbackUrl: string },
  ): Promise<EnsuredSubscriptions>;
}

export interface EnsuredSubscriptions {
  readonly created: number;
  readonly renewed: number;
  readonly present: number;
  /** How many of them had run out or were switched off: something may not have been told. */
  readonly lapsed?: number;
  /** Epoch milliseconds: the first end of those that are there now, where they have one. */
  readonly expiresAt?: number;
  /** A new key that the provider made up for the webhooks and shows this once: from now on it is a live `webhook_secret` of the app. */
  readonly secret?: string;
}

export interface FetchContext {
  readonly http: ProviderHttp;
  readonly origins: Origins;
  readonly accessToken: string;
  /** Epoch milliseconds at the start of the fetch. */
  readonly now: number;
  /** Where the person was, as far as it is known; dates rest on it where a record does not say. */
  readonly whereabouts: Whereabouts;
  /** Where the provider said that it shows what this window is about ({@link Notice.callback}), and of whom; the newest last. */
  readonly callbacks?: readonly { readonly url: string; readonly subjectId: string }[];
}

/**
 * The inbound half: proves a request, answers it, and turns it into notices. All of it runs before a person's data is touched, so
 * it asks nobody but, for a remote key set, the lent client.
 */
export interface InboundProvider {
  readonly id: string;
  readonly name: string;
  readonly facts: ProviderFacts;
  readonly docs: ProviderDocs;
  /**
   * Decides by method, query and headers; the body is not yet proved. Only a probe that comes before any key can exist (Polar's PING)
   * may be known by its body, and its answer is `unproved`.
   */
  classify(request: RawRequest): 'handshake' | 'delivery' | 'unsupported';
  handshake(request: RawRequest, app: AppForVerification): ProbeAnswer;
  verify(request: RawRequest, app: AppForVerification, now: number, keys: RemoteKeys): Verification | Promise<Verification>;
  /** Why a secret that an operator gives could prove nothing, in words for them; undefined when it could. Any may unless said. */
  faultOfSecret?(purpose: SecretPurpose, value: string): string | undefined;
  /** Only called after {@link verify} said ok. Throws {@link MalformedDelivery}. */
  notices(request: RawRequest): ParsedDelivery;
  answer(outcome: IngestOutcome): Answer;
  /** Secrets inside the body taken out, for storage. */
  redact(body: Buffer): Buffer;
}

/** A provider whose data we read: what a notice points at, and by whose leave. */
export interface Provider extends InboundProvider {
  readonly origins: Origins;
  readonly collections: Readonly<Record<string, CollectionFacts>>;
  readonly limits: ProviderLimits;
  /** Raised whenever the same document gives other records than before; 1 unless said. */
  readonly normalizerVersion?: number;
  readonly oauth: OAuth;
  readonly subscriptions: Subscriptions;
  /**
   * Where each person has a subscription of their own: ends those of people whom we do not hold. Safe to repeat. Left out where the
   * subscription is the app's and a person's part in it ends with their grant. Throws {@link ProviderUnreachable}.
   */
  endLeftover?(
    http: ProviderHttp,
    input: { origins: Origins; client: ClientCredentials; isHeld(subjectId: string): Promise<boolean> },
  ): Promise<{ readonly ended: number }>;
  fetchRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome>;
  /**
   * What the notices of one window carried, for providers that push their data; then nobody is asked. All of it, in the order in which it
   * came: a late repeat may be the last to come, so what is newest is to be told by the data.
   */
  carriedRecords?(collection: string, carried: readonly Uint8Array[], context: Pick<FetchContext, 'now' | 'whereabouts'>): FetchOutcome;
}
