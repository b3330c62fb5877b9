import { ulid } from 'ulid';

/** `evt_01KBADX6V0…`: a type prefix and a ULID, so that ids sort by birth and say what they name. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid()}`;
}

export type IdPrefix = 'ten' | 'key' | 'app' | 'sec' | 'usr' | 'con' | 'ses' | 'evt' | 'ep' | 'dl' | 'bf' | 'era' | 'aud' | 'req' | 'rev' | 'chg';
