/** The two schemes of Standard Webhooks: `v1` is HMAC-SHA256 under a shared secret, `v1a` Ed25519 under a key pair. */
export type SignatureVersion = 'v1' | 'v1a';

/** True, false, or one of them later: Node's own crypto answers at once, WebCrypto does not. */
export type Verdict = boolean | Promise<boolean>;

/** Where the hashing is done. Two of them: `webCrypto` runs anywhere, `nodeCrypto` of `@tributary/sdk/node` is faster and answers at once. */
export interface SignatureCrypto<V extends Verdict = Verdict> {
  /** @param secret 24 to 64 bytes. The result says whether one of the base64 values is the HMAC-SHA256 of the content. */
  hmac(secret: Uint8Array<ArrayBuffer>): Prover<V>;
  /** @param publicKey 32 bytes. The result says whether one of the base64 values is an Ed25519 signature of the content. */
  ed25519(publicKey: Uint8Array<ArrayBuffer>): Prover<V>;
}

/** Looks at every value, found or not, and compares in a time that does not depend on what differs. */
export type Prover<V extends Verdict = Verdict> = (content: SignedContent, signatures: readonly string[]) => V;

/** A secret or public key, ready to prove. */
export interface VerificationKey<V extends Verdict = Verdict> {
  readonly version: SignatureVersion;
  readonly proves: Prover<V>;
}

/** What is signed: `id.timestamp.body`. */
export interface SignedContent {
  /** `id.timestamp.`, ASCII. */
  readonly head: string;
  readonly body: Uint8Array;
  /** Both in one, copied at the first call: nothing that happens to `body` after it changes what is checked. */
  joined(): Uint8Array<ArrayBuffer>;
}

export function signedContent(id: string, timestamp: string, body: Uint8Array): SignedContent {
  return new IdTimestampBody(`${id}.${timestamp}.`, body);
}

const encoder = new TextEncoder();

class IdTimestampBody implements SignedContent {
  private bytes: Uint8Array<ArrayBuffer> | undefined;

  constructor(
    readonly head: string,
    readonly body: Uint8Array,
  ) {}

  joined(): Uint8Array<ArrayBuffer> {
    if (this.bytes) return this.bytes;
    const content = new Uint8Array(this.head.length + this.body.length);
    encoder.encodeInto(this.head, content);
    content.set(this.body, this.head.length);
    return (this.bytes = content);
  }
}

/** Compares in a time that depends on the lengths alone. The only comparison of signatures in the SDK. */
export function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** One HMAC for each secret, however many signatures the header lists. */
export function oneIs(expected: string, signatures: readonly string[]): boolean {
  let found = false;
  for (const signature of signatures) found = sameText(signature, expected) || found;
  return found;
}
