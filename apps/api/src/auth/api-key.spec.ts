import { describe, expect, it } from '@jest/globals';
import { bearerOf, hashApiKey, looksLikeApiKey, makeApiKey } from './api-key.js';

describe('API keys', () => {
  it('say their environment, keep 256 bits of chance and are known by their hash', () => {
    const made = makeApiKey('test', Buffer.alloc(32, 255));
    expect(made.key).toBe(`trb_test_${'_'.repeat(42)}8`);
    expect(made.prefix).toBe('trb_test______');
    expect(made.hash).toEqual(hashApiKey(made.key));
    expect(looksLikeApiKey(made.key)).toBe(true);
  });

  it.each([
    '',
    'trb_test_',
    `trb_prod_${'A'.repeat(43)}`,
    `trb_live_${'A'.repeat(42)}`,
    `trb_live_${'A'.repeat(43)} `,
    `trb_live_${'é'.repeat(43)}`,
  ])('%p is no key', (text) => {
    expect(looksLikeApiKey(text)).toBe(false);
  });

  it.each([
    ['Bearer x', 'x'],
    ['bearer  x ', 'x'],
    ['Basic x', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    [undefined, undefined],
  ])('%p holds %p', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });
});
