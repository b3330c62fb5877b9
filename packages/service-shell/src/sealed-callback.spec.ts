import { describe, expect, it } from '@jest/globals';
import { KeyRing } from './key-ring.js';
import { openCarried, sealCallback } from './sealed-callback.js';

const ring = (letter: string) => new KeyRing(`${letter}:${Buffer.alloc(32, letter).toString('base64')}`);
const told = { url: 'https://apis.example/rest?token=a%2Bb%2F%3D', subjectId: 's-1' };

describe('an address that a notice carries', () => {
  it('comes back letter by letter, apart from data, each in its order', () => {
    const keys = ring('a');
    const [first, second] = [told, { ...told, subjectId: 's-2' }].map((one) => sealCallback(keys, 'app_1', one)) as [Buffer, Buffer];
    const [one, two] = ['{"a":1}', ' []'].map((text) => Buffer.from(text)) as [Buffer, Buffer];
    expect(openCarried(keys, 'app_1', [one, first, two, second])).toEqual({
      data: [one, two],
      callbacks: [told, { ...told, subjectId: 's-2' }],
    });
    expect(first.toString('latin1')).not.toContain('token');
    expect(first.toString('latin1')).not.toContain('s-1');
  });

  it('does not open for another app, nor when its key has left the ring', () => {
    const sealed = sealCallback(ring('a'), 'app_1', told);
    expect(openCarried(ring('a'), 'app_2', [sealed])).toEqual({ data: [], callbacks: [] });
    expect(openCarried(ring('b'), 'app_1', [sealed])).toEqual({ data: [], callbacks: [] });
  });
});
