import { describe, expect, it } from '@jest/globals';
import { readListen } from './listen.js';
import { signingSecret } from './signing-secret.js';

describe('arguments of listen', () => {
  it('are read whole', () => {
    expect(readListen(['--forward-to', 'http://localhost:3000/hooks', '--events', 'daily.updated, user.erased', '--json'])).toEqual({
      forwardTo: 'http://localhost:3000/hooks',
      types: new Set(['daily.updated', 'user.erased']),
      secret: undefined,
      json: true,
    });
  });

  it.each([
    [[], '--forward-to'],
    [['--forward-to', 'localhost:3000'], '--forward-to'],
    [['--forward-to', 'ftp://localhost/x'], '--forward-to'],
    [['--forward-to', 'http://localhost/', '--events', 'daily.changed'], '"daily.changed" is no type of event'],
    [['http://localhost/'], 'Usage'],
  ])('%j is refused and says why: %s', (args, words) => {
    expect(() => readListen(args)).toThrow(words);
  });
});

describe('a signing secret', () => {
  it('is taken as it is, or made', () => {
    expect(signingSecret('whsec_AAECAwQFBgcICQoLDA0ODw==').key).toEqual(Buffer.from([...Array(16).keys()]));
    const made = signingSecret(undefined);
    expect(signingSecret(made.text).key).toEqual(made.key);
    expect(made.key).toHaveLength(32);
  });

  it.each(['whsec_', 'whsec_c2hvcnQ=', 'whsec_AAECAwQFBgcICQoLDA0ODw', 'AAECAwQFBgcICQoLDA0ODw==', 'whpk_AAECAwQFBgcICQoLDA0ODw=='])(
    '%s is refused without being shown',
    (text) => {
      expect(() => signingSecret(text)).toThrow(/^--secret: give whsec_ followed by the standard base64 of at least 16 bytes$/);
    },
  );
});
