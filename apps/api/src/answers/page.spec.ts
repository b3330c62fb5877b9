import { describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { z } from 'zod';
import { Pager } from './page.js';

const keys = new KeyRing(`a:${Buffer.alloc(32, 1).toString('base64')}`);
const scope = { tenantId: 'ten_1', environment: 'live' } as const;
const place = z.tuple([z.string(), z.int()]);
const of = { entry: (n: number) => `#${n}`, place: (n: number): [string, number] => ['n', n] };

describe('pages', () => {
  it('a page tells where it ended, and only when more follows', () => {
    const pager = new Pager(keys, 'numbers', place);
    const first = pager.page(scope, [1, 2, 3], 2, of);
    expect(first.data).toEqual(['#1', '#2']);
    expect(pager.placeOf(scope, first.nextCursor ?? '')).toEqual(['n', 2]);
    expect(pager.page(scope, [1, 2], 2, of)).toEqual({ data: ['#1', '#2'], nextCursor: null });
    expect(pager.page(scope, [], 2, of)).toEqual({ data: [], nextCursor: null });
    expect(pager.placeOf(scope, undefined)).toBeUndefined();
  });

  it('a cursor opens nowhere but in its own list and environment, and with no other key', () => {
    const cursor = new Pager(keys, 'numbers', place).page(scope, [1, 2], 1, of).nextCursor ?? '';
    const other = new KeyRing(`a:${Buffer.alloc(32, 2).toString('base64')}`);
    for (const [pager, who] of [
      [new Pager(keys, 'letters', place), scope],
      [new Pager(keys, 'numbers', place), { ...scope, environment: 'test' }],
      [new Pager(keys, 'numbers', place), { ...scope, tenantId: 'ten_2' }],
      [new Pager(other, 'numbers', place), scope],
      [new Pager(keys, 'numbers', z.int()), scope],
    ] as const) {
      expect(() => pager.placeOf(who, cursor)).toThrow('not one of this list');
    }
    for (const forged of ['', 'AAAA', `${cursor}AA`, cursor.slice(0, -1)])
      expect(() => new Pager(keys, 'numbers', place).placeOf(scope, forged)).toThrow('not one of this list');
  });
});
