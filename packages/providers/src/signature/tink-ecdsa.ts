import { type KeyObject, createPublicKey, verify } from 'node:crypto';

/** Keys of a Tink keyset by their id; ids are drawn at random, so two keys may share one. */
export type TinkKeys = ReadonlyMap<number, readonly KeyObject[]>;

export interface TinkSignature {
  readonly keyId: number;
  readonly der: Uint8Array;
}

const ECDSA_PUBLIC_KEY = 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey';
/** Tink's framing: this byte, the key's id as four bytes big-endian, the signature. */
const TINK_PREFIX = 0x01;
const PREFIX_BYTES = 5;
/** A P-256 signature in DER has 72 bytes at most. */
const LONGEST_TEXT = 128;
const COORDINATE_BYTES = 32;

/** `EcdsaParams` of proto/ecdsa.proto: hash_type SHA256, curve NIST_P256, encoding DER. */
const p256Sha256Der = [
  [1, 3],
  [2, 2],
  [3, 2],
] as const;

/** @returns undefined for anything but canonical base64 (either alphabet) of a framed signature. Proves nothing yet. */
export function readTinkSignature(text: string): TinkSignature | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(standard, 'base64');
  // `Buffer.from` skips what it cannot read; one text for each signature, so that nothing can be hung on it.
  if (bytes.toString('base64') !== standard || bytes.length <= PREFIX_BYTES || bytes[0] !== TINK_PREFIX) return undefined;
  return { keyId: bytes.readUInt32BE(1), der: bytes.subarray(PREFIX_BYTES) };
}

/** ECDSA over P-256 with SHA-256. Bytes that are no DER are a wrong signature, never a throw. */
export function provesEcdsa(keys: readonly KeyObject[], message: Uint8Array, der: Uint8Array): boolean {
  return keys.some((key) => verify('sha256', message, { key, dsaEncoding: 'der' }, der));
}

/**
 * The keys of a public keyset in Tink's JSON that this file can verify with: enabled, ECDSA P-256 with SHA-256 in DER, Tink prefix.
 * Every other key is left out, since a set may hold keys of schemes to come; so a text that is no keyset has no keys.
 */
export function readTinkKeyset(text: string): TinkKeys {
  const keys = new Map<number, KeyObject[]>();
  for (const entry of listOf(text)) {
    const { status, outputPrefixType, keyId, keyData } = entry;
    if (status !== 'ENABLED' || outputPrefixType !== 'TINK' || !Number.isInteger(keyId)) continue;
    const { typeUrl, value } = (keyData ?? {}) as { typeUrl?: unknown; value?: unknown };
    if (typeUrl !== ECDSA_PUBLIC_KEY || typeof value !== 'string') continue;
    const key = publicKey(Buffer.from(value, 'base64'));
    // Some writers print the id as a signed number.
    const id = (keyId as number) >>> 0;
    if (key !== undefined) keys.set(id, [...(keys.get(id) ?? []), key]);
  }
  return keys;
}

function listOf(text: string): readonly Record<string, unknown>[] {
  try {
    const { key } = JSON.parse(text) as { key?: unknown };
    const entries: readonly unknown[] = Array.isArray(key) ? key : [];
    return entries.filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null);
  } catch {
    return [];
  }
}

/** `EcdsaPublicKey` of proto/ecdsa.proto: params = 2, x = 3, y = 4. */
function publicKey(message: Buffer): KeyObject | undefined {
  const fields = protobufFields(message);
  const [params, x, y] = [fields?.get(2), coordinate(fields?.get(3)), coordinate(fields?.get(4))];
  if (!Buffer.isBuffer(params) || x === undefined || y === undefined) return undefined;
  const parameters = protobufFields(params);
  if (!p256Sha256Der.every(([field, value]) => parameters?.get(field) === value)) return undefined;
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    // Not a point of the curve.
    return undefined;
  }
}

/** Tink writes coordinates as signed numbers: a zero byte in front where the highest bit is set, fewer bytes for a small one. */
function coordinate(value: number | Buffer | undefined): string | undefined {
  if (!Buffer.isBuffer(value)) return undefined;
  const start = value.findIndex((byte) => byte !== 0);
  const digits = value.subarray(start < 0 ? value.length : start);
  if (digits.length > COORDINATE_BYTES) return undefined;
  return Buffer.concat([Buffer.alloc(COORDINATE_BYTES - digits.length), digits]).toString('base64url');
}

/** A message of numbers and byte strings; undefined when it holds anything else, or ends early. */
function protobufFields(message: Buffer): ReadonlyMap<number, number | Buffer> | undefined {
  const fields = new Map<number, number | Buffer>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < message.length && scale < 2 ** 35; scale *= 128) {
      const byte = message[at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    if (Number.isNaN(tag) || Number.isNaN(value)) return undefined;
    const [field, wireType] = [Math.floor(tag / 8), tag % 8];
    if (wireType === 0) fields.set(field, value);
    else if (wireType === 2 && at + value <= message.length) fields.set(field, message.subarray(at, (at += value)));
    else return undefined;
  }
  return fields;
}
