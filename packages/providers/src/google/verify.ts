import { type AppForVerification, ProviderUnreachable, type RemoteKeys, type Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { sameText } from '../signature/constant-time.js';
import { refused, secretsFor } from '../signature/proof.js';
import { type TinkKeys, provesEcdsa, readTinkKeyset, readTinkSignature } from '../signature/tink-ecdsa.js';
import { holdsProbe } from './handshake.js';

export const googleKeyOrigin = 'https://www.gstatic.com';
const KEYSET_PATH = '/googlehealthapi/webhooks/webhooks_public_keyset.json';
export const googleKeysetUrl = `${googleKeyOrigin}${KEYSET_PATH}`;

/** The name of today and the one before it; both are seen in live traffic, also together. */
const signatureHeaders = ['google-health-api-signature', 'x-healthapi-signature'] as const;

/**
 * Two proofs, both of which must hold: `Authorization` is the secret that we gave the subscriber, to the letter and with its scheme, and
 * the signature is Google's over the body. Only the two probes of our address come without a signature; nothing else may.
 * @throws ProviderUnreachable when the key set cannot be had; the delivery may well be genuine.
 */
export async function verifyGoogle(request: RawRequest, app: AppForVerification, keys: RemoteKeys): Promise<Verification> {
  const secrets = secretsFor(app, 'webhook_secret');
  if (secrets.length === 0) return refused('no_secret');
  const authorization = request.headers.get('authorization');
  if (!authorization) return refused('signature_missing');
  let secretId: string | undefined;
  // Every secret is tried, so the time does not tell which one fits.
  for (const { id, value } of secrets) if (sameText(authorization, value)) secretId ??= id;
  if (secretId === undefined) return refused('signature_mismatch');

  const signatures = signatureHeaders.map((name) => request.headers.get(name)).filter((text) => text !== undefined && text !== '');
  if (signatures.length === 0) {
    return holdsProbe(request.body) ? { ok: true, grade: 'shared-secret', secretId, signedAt: undefined } : refused('signature_missing');
  }
  const keyset = app.keyOrigin === undefined ? googleKeysetUrl : `${app.keyOrigin}${KEYSET_PATH}`;
  for (const text of signatures) {
    if (await isGoogles(text as string, request.body, { keys, keyset }))
      return { ok: true, grade: 'signed', secretId, signedAt: undefined };
  }
  return refused('signature_mismatch');
}

interface KeySource {
  readonly keys: RemoteKeys;
  readonly keyset: string;
}

async function isGoogles(text: string, body: Uint8Array, { keys, keyset }: KeySource): Promise<boolean> {
  const signature = readTinkSignature(text);
  if (signature === undefined) return false;
  const { keyId, der } = signature;
  const held = keysOf(await keys.current(keyset));
  let named = held.get(keyId);
  if (named === undefined) {
    // Keys change about once a month. Fetched anew at most once a minute, however many unknown ids a forger makes up.
    const text = await keys.renewed(keyset);
    const fresh = text === undefined ? held : keysOf(text);
    // A page without any key is no answer to whether this one is genuine.
    if (fresh.size === 0) throw new ProviderUnreachable('keys_unreadable');
    named = fresh.get(keyId);
  }
  return named !== undefined && provesEcdsa(named, body, der);
}

/** The set read last: one for each process, and the text of a set says all of it. */
let lastRead: { readonly text: string; readonly keys: TinkKeys } | undefined;

function keysOf(text: string): TinkKeys {
  if (lastRead?.text !== text) lastRead = { text, keys: readTinkKeyset(text) };
  return lastRead.keys;
}
