import type { AppForVerification, LiveSecret, RefusalCode, SecretPurpose, Verification } from '../provider.js';
import { sameBytes } from './constant-time.js';

export function refused(code: RefusalCode): Verification {
  return { ok: false, code };
}

/** An empty secret is none: anybody could sign with it. */
export function secretsFor(app: AppForVerification, purpose: SecretPurpose): readonly LiveSecret[] {
  return app.secrets.filter((secret) => secret.purpose === purpose && secret.value !== '');
}

/**
 * Which secret made this digest. Every one is tried, so the time does not tell which.
 * @returns the secret's id
 */
export function whoseDigest(
  secrets: readonly LiveSecret[],
  given: Uint8Array,
  digestOf: (secret: LiveSecret) => Uint8Array,
): string | undefined {
  let proved: string | undefined;
  for (const secret of secrets) {
    if (sameBytes(digestOf(secret), given)) proved ??= secret.id;
  }
  return proved;
}

/** @param signedAt epoch milliseconds, already proved. The boundary itself is inside, both ways. */
export function outOfTime(signedAt: number, now: number, { toleranceMs }: AppForVerification): RefusalCode | undefined {
  if (now - signedAt > toleranceMs) return 'timestamp_stale';
  if (signedAt - now > toleranceMs) return 'timestamp_future';
  return undefined;
}
