import { createHash } from 'node:crypto';
import type { Scope } from '@tributary/domain';
import {
  type Answer,
  type InboundProvider,
  type IngestOutcome,
  MalformedDelivery,
  type ParsedDelivery,
  type RemoteKeys,
  type RawRequest,
  type Verification,
} from '@tributary/providers';
import type { AppRef } from '@tributary/handoffs';
import { type Callback, type Clock, newId } from '@tributary/service-shell';
import type { Acceptance, NewDelivery, UnreadableDelivery } from '@tributary/storage';
import type { KnownApp } from './app-directory.js';
import { Unstorable } from './storage-fault.js';

/** Where deliveries are kept. Everything here throws StorageUnavailable when the store cannot promise. */
export interface DeliveryBook {
  findApp(appKey: string): Promise<KnownApp | undefined>;
  markHandshaken(app: KnownApp): Promise<void>;
  /** An app that waits for its handshake has had it; any other is left as it is. */
  activate(app: KnownApp): Promise<void>;
  /** Resolves after the commit. Throws Unstorable when the store will never take it. */
  accept(delivery: NewDelivery): Promise<Acceptance>;
  noteUnreadable(delivery: UnreadableDelivery): Promise<void>;
}

export interface AcceptParts {
  readonly book: DeliveryBook;
  /** Told after the commit which environment has new notices; must not wait. */
  oweResolve(scope: Scope): void;
  /** Told when a provider still sends us something of a person that we do not hold; must not wait. */
  oweLeftover(app: AppRef): void;
  subjectHashes(providerAppId: string, subjectId: string): Buffer[];
  /** What stands in the row for an address that holds a key. */
  sealCallback(providerAppId: string, callback: Callback): Buffer;
  readonly clock: Clock;
  readonly remoteKeys: RemoteKeys;
}

/** What is counted of a request: words from a fixed list. */
export type Counted =
  | 'new'
  | 'stale'
  | 'duplicate'
  | 'unknown_subject'
  | 'not_read'
  | 'handshake'
  | 'malformed'
  | 'unstorable'
  | 'refused'
  | 'not_found'
  | 'unsupported'
  | 'too_large'
  | 'unavailable';

export interface Accepted {
  readonly answer: Answer;
  readonly counted: Counted;
  /** The refusal's code, when it was refused; `some_unknown`: it also tells of people whom we do not hold. */
  readonly code?: string;
  /** Kinds of data in it that nobody reads. */
  readonly unread?: number;
}

const APP_KEY = /^[\w-]{1,128}$/;
const notFound: Accepted = { answer: { status: 404 }, counted: 'not_found' };

/**
 * From bytes to an answer: find the app, prove the bytes, read what they point at, keep it, and only then say yes. Nothing is parsed
 * before its proof, and a success means committed, or provably not ours.
 * @throws StorageUnavailable
 */
export async function acceptWebhook(parts: AcceptParts, provider: InboundProvider, appKey: string, request: RawRequest): Promise<Accepted> {
  const kind = provider.classify(request);
  if (kind === 'unsupported') return ended(provider, 'unsupported', 'unsupported');
  const app = APP_KEY.test(appKey) ? await parts.book.findApp(appKey) : undefined;
  if (app === undefined || app.provider !== provider.id || app.state === 'disabled') return notFound;
  const now = parts.clock();
  const known = app.forVerification(now);
  if (kind === 'handshake') {
    const answer = provider.handshake(request, known);
    if (answer.status >= 300)
      return app.hasSealedSecret ? ended(provider, 'unavailable', 'unavailable') : { answer, counted: 'refused', code: 'handshake' };
    if (answer.unproved !== true) await parts.book.markHandshaken(app);
    return { answer, counted: 'handshake' };
  }

  const verification = await provider.verify(request, known, now, parts.remoteKeys);
  if (!verification.ok) {
    const maybeOurs = app.hasSealedSecret && (verification.code === 'no_secret' || verification.code === 'signature_mismatch');
    if (maybeOurs) return ended(provider, 'unavailable', 'unavailable');
    return { ...ended(provider, 'unauthenticated', 'refused'), code: verification.code };
  }
  const accepted = await keep(parts, provider, app, { request, verification });
  if (app.state === 'pending' && verification.grade === 'signed') activateOnce(parts.book, app);
  return accepted;
}

/** Apps as the directory holds them, for a second: so long one write is enough, however many deliveries come. */
const activated = new WeakSet<KnownApp>();

/** Where there is no handshake, the first delivery with the provider's own signature is one. Nobody waits for it; if it fails, the next does it. */
function activateOnce(book: DeliveryBook, app: KnownApp): void {
  if (activated.has(app)) return;
  activated.add(app);
  book.activate(app).catch(() => activated.delete(app));
}

interface Proved {
  readonly request: RawRequest;
  readonly verification: Extract<Verification, { ok: true }>;
}

async function keep(parts: AcceptParts, provider: InboundProvider, app: KnownApp, { request, verification }: Proved): Promise<Accepted> {
  const bodyHash = createHash('sha256').update(request.body).digest();
  const { tenantId, environment } = app;
  const unreadable = (code: UnreadableDelivery['code'], detail: string) =>
    parts.book.noteUnreadable({
      tenantId,
      environment,
      deadLetterId: newId('dl'),
      provider: provider.id,
      providerAppId: app.id,
      code,
      detail,
      bodyHash,
      bodyBytes: request.body.length,
    });

  let parsed: ParsedDelivery;
  try {
    parsed = provider.notices(request);
  } catch (error) {
    // Any other fault is the adapter's own; the delivery is as unreadable, and nobody is helped by repeating it.
    await unreadable('malformed_delivery', error instanceof MalformedDelivery ? error.detail : `adapter: ${(error as Error).name}`);
    return ended(provider, 'malformed', 'malformed');
  }
  if (parsed.handshake) await parts.book.markHandshaken(app);
  const answer = parsed.answer ?? provider.answer('accepted');
  const unread = parsed.unread === undefined ? {} : { unread: parsed.unread };
  if (parsed.notices.length === 0) return { answer, counted: parsed.handshake ? 'handshake' : 'not_read', ...unread };

  let acceptance: Acceptance;
  try {
    acceptance = await parts.book.accept({
      tenantId,
      environment,
      providerAppId: app.id,
      deliveryId: parsed.deliveryId.value,
      reopenable: parsed.deliveryId.kind === 'reopenable',
      signedAt: verification.signedAt,
      grade: verification.grade,
      secretId: verification.secretId,
      bodyHash,
      // Whoever of it could not be told would not be found in it when they are erased.
      rawBody: parsed.bystanders || parsed.complaint !== undefined ? undefined : provider.redact(request.body),
      notices: parsed.notices.map(({ callback, ...notice }) => ({
        ...notice,
        // Unsigned values are nobody's: such a notice points at what is to be read, unless the operator said otherwise. An address is no
        // value: what stands there is read from the provider.
        carried:
          callback !== undefined
            ? parts.sealCallback(app.id, { url: callback, subjectId: notice.subjectId })
            : verification.grade === 'signed' || app.acceptsCarried
              ? notice.carried
              : undefined,
        subjectHashes: parts.subjectHashes(app.id, notice.subjectId),
      })),
    });
  } catch (error) {
    if (!(error instanceof Unstorable)) throw error;
    await unreadable('unstorable_delivery', `sqlstate ${error.code}`);
    return ended(provider, 'malformed', 'unstorable');
  }
  // Of strangers there is no row anywhere; of everybody else what was lost is told.
  if (parsed.complaint !== undefined && acceptance !== 'unknown') await unreadable('malformed_delivery', parsed.complaint);
  if (acceptance !== 'unknown' && acceptance !== 'duplicate') parts.oweResolve(app);
  if (acceptance === 'unknown' || acceptance === 'new-in-part') parts.oweLeftover({ tenantId, environment, providerAppId: app.id });
  if (acceptance === 'new-in-part') return { answer, counted: 'new', code: 'some_unknown', ...unread };
  return { answer, counted: acceptance === 'unknown' ? 'unknown_subject' : acceptance, ...unread };
}

function ended(provider: InboundProvider, outcome: IngestOutcome, counted: Counted): Accepted {
  return { answer: provider.answer(outcome), counted };
}
