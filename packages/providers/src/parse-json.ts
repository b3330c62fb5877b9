import { parse as parseLossless } from 'lossless-json';
import { MalformedDelivery } from './provider.js';

/** Fewer digits than this always fit a JS number exactly (2^53 has 16). */
const LONG_NUMBER = /\d{16}/;

/**
 * JSON from proved bytes. Whole numbers that a JS number cannot hold come back as bigint, all others as number, so a 64-bit id
 * is never rounded to its neighbour's.
 * @throws MalformedDelivery with the position at most; the engine's own message quotes the body.
 */
export function parseJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = strictUtf8.decode(body);
  } catch {
    throw new MalformedDelivery('body: not UTF-8');
  }
  try {
    return LONG_NUMBER.test(text)
      ? parseLossless(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
      : JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new MalformedDelivery(position === undefined ? 'body: not JSON' : `body: not JSON at position ${position}`);
  }
}

/** Bytes that are no UTF-8 would otherwise all become the same replacement character, and two ids could become one. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function parseNumber(text: string): number | bigint {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text);
}
