import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Sixteen draws make an id, and to ask the system for each of them would cost more than all else that an event costs. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] as number) / 0x100;
}

/** `evt_01KBADX6V0…`: a type prefix and a ULID, so that ids sort by birth and say what they name. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid(undefined, random)}`;
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
  | 'era'
  | 'aud'
  | 'req'
  | 'rev'
  | 'chg';
