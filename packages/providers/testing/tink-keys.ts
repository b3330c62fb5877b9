import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto';

/** A key pair as Tink would publish and use it, written independently of the code that reads it. */
export interface TinkKeyPair {
  readonly keyId: number;
  /** The entry of a keyset. */
  readonly entry: Record<string, unknown>;
  /** A framed signature in base64. */
  sign(body: Uint8Array): string;
}

/** @param changes of the fields that make a key usable, for keys that must not be. */
export function tinkKeyPair(
  keyId: number,
  changes: { params?: readonly number[]; signedCoordinates?: boolean; curve?: string; entry?: Record<string, unknown> } = {},
): TinkKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: changes.curve ?? 'P-256' });
  return {
    keyId,
    entry: {
      keyData: {
        typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
        keyMaterialType: 'ASYMMETRIC_PUBLIC',
        value: publicKeyProto(publicKey, changes.params ?? [0x08, 3, 0x10, 2, 0x18, 2], changes.signedCoordinates ?? true),
      },
      status: 'ENABLED',
      keyId,
      outputPrefixType: 'TINK',
      ...changes.entry,
    },
    sign(body) {
      const id = Buffer.alloc(4);
      id.writeUInt32BE(keyId);
      return Buffer.concat([Buffer.of(1), id, sign('sha256', body, { key: privateKey, dsaEncoding: 'der' })]).toString('base64');
    },
  };
}

export function tinkKeyset(...pairs: readonly TinkKeyPair[]): string {
  return JSON.stringify({ primaryKeyId: pairs[0]?.keyId ?? 0, key: pairs.map(({ entry }) => entry) });
}

function publicKeyProto(key: KeyObject, params: readonly number[], signedCoordinates: boolean): string {
  const { x, y } = key.export({ format: 'jwk' });
  const field = (tag: number, bytes: Uint8Array) => [Buffer.of(tag, bytes.length), bytes];
  const coordinate = (text: string | undefined) => {
    const bytes = Buffer.from(text as string, 'base64url');
    return signedCoordinates ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  };
  return Buffer.concat([...field(0x12, Buffer.from(params)), ...field(0x1a, coordinate(x)), ...field(0x22, coordinate(y))]).toString(
    'base64',
  );
}
