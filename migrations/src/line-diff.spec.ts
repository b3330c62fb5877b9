import { describe, expect, it } from '@jest/globals';
import { lineDiff } from './line-diff.js';

describe('lineDiff', () => {
  it('says nothing of equal texts', () => {
    expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([]);
  });

  it('names what went and what came, with line numbers', () => {
    expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual(['-2: b', '+2: x', '+4: d']);
  });

  it('keeps the longest common part of two orders', () => {
    expect(lineDiff('one\ntwo\nthree', 'two\nthree\none')).toEqual(['-1: one', '+3: one']);
  });
});
