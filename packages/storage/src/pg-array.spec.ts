import { describe, expect, it } from '@jest/globals';
import { pgArray } from './pg-array.js';

const hex = (buffer: Buffer) => buffer.toString('hex').match(/.{8}/g)?.join(' ');

describe('pgArray', () => {
  it('writes the binary array that Postgres documents', () => {
    expect(hex(pgArray('int4', [1, null]))).toBe('00000001 00000001 00000017 00000002 00000001 00000004 00000001 ffffffff');
    expect(hex(pgArray('text', []))).toBe('00000001 00000000 00000019 00000000 00000001');
    expect(pgArray('int8', [-2]).subarray(20).toString('hex')).toBe('00000008fffffffffffffffe');
    expect(pgArray('float8', [0.5]).subarray(20).toString('hex')).toBe('000000083fe0000000000000');
    expect(pgArray('bool', [true, false]).subarray(20).toString('hex')).toBe('00000001010000000100');
  });

  it('counts bytes and not characters', () => {
    expect(pgArray('text', ['aé😀', '']).subarray(20).toString('hex')).toBe('0000000761c3a9f09f988000000000');
  });

  it('drops NUL and replaces half a surrogate pair, which Postgres text cannot hold', () => {
    expect(pgArray('text', ['a\0b', '\ud800']).subarray(20).toString('hex')).toBe('00000002616200000003efbfbd');
  });

  it('copies bytes as they are', () => {
    expect(
      pgArray('bytea', [Buffer.of(0, 255), undefined])
        .subarray(20)
        .toString('hex'),
    ).toBe('0000000200ffffffffff');
  });
});
