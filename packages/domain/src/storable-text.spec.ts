import { describe, expect, it } from '@jest/globals';
import { storableText } from './storable-text.js';

describe('text that a database can hold', () => {
  it.each([
    ['a\0b', 'ab'],
    ['\0', ''],
    ['a\ud800b', 'a\ufffdb'],
    ['\udc00\0', '\ufffd'],
    ['a\\u0000b', 'a\\u0000b'],
    ['Ranní běh 🏃‍♀️', 'Ranní běh 🏃‍♀️'],
    ['', ''],
  ])('C116: of %j is %j', (given, kept) => {
    expect(storableText(given)).toBe(kept);
    expect(storableText({ name: [given, null, { deep: given }], n: 1 })).toEqual({ name: [kept, null, { deep: kept }], n: 1 });
  });

  it('is the very value where nothing has to change, however deep', () => {
    const record = { source: { model: 'One', parts: ['a', { b: undefined }] }, values: [1, 2], provisional: false };
    expect(storableText(record)).toBe(record);
  });

  it('leaves what it was given as it was', () => {
    const record = { source: { model: 'a\0' }, same: { as: 'before' } };
    const cleaned = storableText(record);
    expect([record.source.model, cleaned.source.model]).toEqual(['a\0', 'a']);
    expect(cleaned.same).toBe(record.same);
  });
});
