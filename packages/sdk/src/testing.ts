import { exampleData } from './example-data.js';
import { type EventDataByType, type EventType, type Plain } from './events.js';
import { type Secrets, listOf } from './keyring.js';
import { readSigningSecret } from './secret.js';
import { signedContent } from './signature.js';
import { signatureEntry } from './sign-content.js';

export { type GoldenVector, goldenVectors } from './golden-vectors.js';
export { type Scenario, type ScenarioEvent, type ScenarioName, scenario, scenarioNames } from './scenarios.js';

/** Secrets for tests, where any will do. */
export const exampleSecret = 'whsec_dHJpYnV0YXJ5LWV4YW1wbGUtc2VjcmV0LTAwMDE=';

export const examplePrivateKey = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
export const examplePublicKey = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';

export interface SignedRequest {
  readonly method: 'POST';
  readonly headers: {
    readonly 'content-type': string;
    readonly 'webhook-id': string;
    readonly 'webhook-timestamp': string;
    readonly 'webhook-signature': string;
  };
  /** The bytes that were signed. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface RequestToSign {
  /** `whsec_…` makes a `v1` entry, a private key `whsk_…` a `v1a` entry; several make as many, as during a rotation. */
  readonly secret: Secrets;
  readonly id: string;
  /** Time of the attempt. */
  readonly at: Date;
  readonly body: Uint8Array | string;
}

/**
 * Signs any body as Tributary would: one entry for each secret.
 * @throws VerificationError `no_secret`, `malformed_secret`
 */
export async function signedRequest({ secret, id, at, body }: RequestToSign): Promise<SignedRequest> {
  const bytes = Uint8Array.from(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = signedContent(id, timestamp, bytes).joined();
  const signatures = await Promise.all(listOf(secret).map((one) => signatureEntry(readSigningSecret(one), content)));
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body: bytes,
  };
}

export interface SignedExampleOptions<T extends EventType> {
  readonly secret: Secrets;
  /** Time of the attempt. Default: now. */
  readonly at?: Date;
  /** Default: a new one. Give the same again for a duplicate. */
  readonly id?: string;
  /** When the change was committed. Default: as `at`. */
  readonly timestamp?: Date;
  readonly deliveryAttempt?: number;
  /** Laid over the example, field by field: `{ revision: 7 }`. */
  readonly data?: Partial<Plain<EventDataByType[T]>>;
}

/** A valid, signed event of this type, as it would arrive; pass it to `fetch(url, await signedExample(…))`. */
export async function signedExample<T extends EventType>(type: T, options: SignedExampleOptions<T>): Promise<SignedRequest> {
  const { secret, at = new Date(), id = `evt_${crypto.randomUUID().replaceAll('-', '')}`, timestamp = at, deliveryAttempt = 1 } = options;
  const data = { ...exampleData[type], ...options.data };
  return signedRequest({ secret, id, at, body: JSON.stringify({ type, timestamp: timestamp.toISOString(), deliveryAttempt, data }) });
}
