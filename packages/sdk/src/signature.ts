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
  const head = `${id}.${timestamp}.`;
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return {
    head,
    body,
    joined() {
      if (bytes) return bytes;
      bytes = new Uint8Array(head.length + body.length);
      bytes.set(new TextEncoder().encode(head));
      bytes.set(body, head.length);
      return bytes;
    },
  };
}

/**
 * The only comparison of signatures in the SDK: looks at all of them, each in a time that depends on its length alone. One HMAC for each
 * secret, however many signatures the header lists.
 */
export function oneIs(expected: string, signatures: readonly string[]): boolean {
  let found = false;
  for (const signature of signatures) {
    if (signature.length !== expected.length) continue;
    let difference = 0;
    for (let at = 0; at < expected.length; at++) difference |= signature.charCodeAt(at) ^ expected.charCodeAt(at);
    found = difference === 0 || found;
  }
  return found;
}
