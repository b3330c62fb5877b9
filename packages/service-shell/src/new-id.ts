import { randomFillSync } from 'node:crypto';
import { encodeTime } from 'ulid';

const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
const ALPHABET = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');

/** Letters drawn beforehand. */
const pool = Buffer.alloc(256 * RANDOM_LENGTH);
let used = pool.length;
let now = { ms: Number.NaN, text: '' };

/**
 * `evt_01KBADX6V0…`: a type prefix and a ULID, so that ids sort by birth and say what they name. Made here, since the library asks the
 * system for each of its sixteen dice, which costs more than all else that an event costs.
 */
export function newId(prefix: IdPrefix): string {
  const ms = Date.now();
  if (ms !== now.ms) now = { ms, text: encodeTime(ms, TIME_LENGTH) };
  if (used === pool.length) {
    randomFillSync(pool);
    for (let n = 0; n < pool.length; n += 1) pool[n] = ALPHABET[(pool[n] as number) & 31] as number;
    used = 0;
  }
  used += RANDOM_LENGTH;
  return `${prefix}_${now.text}${pool.toString('latin1', used - RANDOM_LENGTH, used)}`;
}

export type IdPrefix =
  | 'ten'
  | 'key'
  | 'app'
  | 'sec'
  | 'usr'
  | 'con'
  | 'ses'
  | 'evt'
  | 'ep'
  | 'dl'
  | 'ren'
  | 'bf'
  | 'rcv'
  | 'era'
  | 'aud'
  | 'req'
  | 'rev'
  | 'chg';
