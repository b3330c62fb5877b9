import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto';

/** A key of Google's, as Tink publishes and uses it: P-256, SHA-256, signatures in DER after `0x01` and the key's id. */
export class SigningKey {
  readonly #private: KeyObject;
  /** Its entry in the key set. */
  readonly entry: object;

  constructor(readonly keyId: number) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#private = privateKey;
    this.entry = {
      keyData: {
        typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
        keyMaterialType: 'ASYMMETRIC_PUBLIC',
        value: publicKeyMessage(publicKey),
      },
      status: 'ENABLED',
      keyId,
      outputPrefixType: 'TINK',
    };
  }

  sign(body: Buffer): string {
    const prefix = Buffer.alloc(5, 1);
    prefix.writeUInt32BE(this.keyId, 1);
    return Buffer.concat([prefix, sign('sha256', body, { key: this.#private, dsaEncoding: 'der' })]).toString('base64');
  }
}

/** The protobuf message `EcdsaPublicKey`: parameters (SHA-256, P-256, DER), then both coordinates with the zero that Java's writer puts. */
function publicKeyMessage(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const field = (tag: number, bytes: Buffer) => Buffer.concat([Buffer.of(tag, bytes.length), bytes]);
  const coordinate = (text: string) => Buffer.concat([Buffer.of(0), Buffer.from(text, 'base64url')]);
  const parameters = Buffer.of(0x08, 3, 0x10, 2, 0x18, 2);
  return Buffer.concat([field(0x12, parameters), field(0x1a, coordinate(x)), field(0x22, coordinate(y))]).toString('base64');
}
