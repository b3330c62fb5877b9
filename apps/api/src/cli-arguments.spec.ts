import { describe, expect, it } from '@jest/globals';
import { readCliArguments } from './cli-arguments.js';

describe('arguments of the command line', () => {
  it('are read whole', () => {
    expect(readCliArguments(['bootstrap', '--tenant', ' Acme ', '--environment', 'live'])).toEqual({
      tenant: 'Acme',
      environment: 'live',
      debounceMs: undefined,
      maxWaitMs: undefined,
      json: false,
    });
    expect(
      readCliArguments(['bootstrap', '--tenant', 'A', '--environment', 'test', '--json', '--debounce-ms', '0', '--max-wait-ms', '0']),
    ).toEqual({ tenant: 'A', environment: 'test', debounceMs: 0, maxWaitMs: 0, json: true });
    expect(readCliArguments(['--help'])).toBe('help');
  });

  it.each([
    [[], 'Usage'],
    [['destroy'], 'Usage'],
    [['bootstrap', 'twice'], 'Usage'],
    [['bootstrap', '--surprise'], 'surprise'],
    [['bootstrap', '--environment', 'test'], '--tenant'],
    [['bootstrap', '--tenant', ' ', '--environment', 'test'], '--tenant'],
    [['bootstrap', '--tenant', 'A'], '--environment'],
    [['bootstrap', '--tenant', 'A', '--environment', 'prod'], '--environment'],
    [['bootstrap', '--tenant', 'A', '--environment', 'test', '--debounce-ms', '-1'], 'debounce-ms'],
    [['bootstrap', '--tenant', 'A', '--environment', 'test', '--debounce-ms=1.5'], '--debounce-ms'],
    [['bootstrap', '--tenant', 'A', '--environment', 'test', '--debounce-ms', '9', '--max-wait-ms', '5'], '--max-wait-ms'],
    [['bootstrap', '--tenant', 'A', '--environment', 'test', '--max-wait-ms', '4999'], '--max-wait-ms'],
  ])('%j is refused and says why: %s', (args, words) => {
    expect(() => readCliArguments(args)).toThrow(words);
  });
});
