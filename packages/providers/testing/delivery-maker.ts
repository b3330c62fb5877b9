import type { AppForVerification, InboundProvider, LiveSecret, SecretPurpose } from '../src/provider.js';
import type { RawRequest } from '../src/raw-request.js';
import type { ProviderCase } from './provider-case.js';
import { noKeys, rawRequest } from './raw-request.js';

/** A whole second, so that providers that sign seconds and those that sign milliseconds say the same. */
export const NOW = 1_796_000_000_000;
export const TOLERANCE_MS = 300_000;

export interface Differently {
  readonly body?: Buffer;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Genuine deliveries of one provider, and its adapter's verdict on them. */
export function deliveryMaker(provider: InboundProvider, given: ProviderCase) {
  const { proof } = given;
  const keyed = proof.grade === 'path-secret' ? undefined : proof;
  const word = (text: string) => (text === '' ? '' : (keyed?.secretOf?.(text) ?? text));
  const contentType = given.contentType ?? 'application/json';

  function secret(id: string, text: string, purpose: SecretPurpose = keyed?.purpose ?? 'webhook_secret'): LiveSecret {
    return { id, purpose, value: word(text) };
  }

  function app(...secrets: LiveSecret[]): AppForVerification {
    return {
      clientId: 'client',
      toleranceMs: TOLERANCE_MS,
      ...proof.app,
      secrets: proof.grade === 'path-secret' ? (proof.app?.secrets ?? []) : secrets,
    };
  }

  function delivery(at = NOW, { body = given.genuine.body, secret: key = 'current-secret', headers }: Differently = {}): RawRequest {
    const proved = proofOf(body, word(key), at);
    return rawRequest({ body: proved.body ?? body, headers: { 'content-type': contentType, ...proved.headers, ...headers } });
  }

  function proofOf(body: Buffer, key: string, at: number): { headers?: Readonly<Record<string, string>>; body?: Buffer } {
    if (proof.grade === 'shared-secret') return proof.present(body, key);
    if (proof.grade === 'path-secret') return { ...(proof.headers && { headers: proof.headers }) };
    return { headers: proof.sign(body, key, at) };
  }

  const current = app(secret('s1', 'current-secret'));
  const keys = 'keys' in proof && proof.keys !== undefined ? proof.keys : noKeys;

  async function verify(request: RawRequest, to = current, now = NOW) {
    return provider.verify(request, to, now, keys);
  }

  /** `ok` and the secret that proved it, or the code of the refusal. */
  async function verdict(request: RawRequest, to = current, now = NOW): Promise<string> {
    const verification = await verify(request, to, now);
    return verification.ok ? `ok ${verification.secretId}` : verification.code;
  }

  return { secret, app, delivery, verify, verdict, current };
}

export type DeliveryMaker = ReturnType<typeof deliveryMaker>;
