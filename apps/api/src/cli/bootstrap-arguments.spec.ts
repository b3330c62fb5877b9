import { describe, expect, it } from '@jest/globals';
import { readBootstrap } from './bootstrap-arguments.js';

describe('arguments of bootstrap', () => {
  it('are read whole', () => {
    expect(readBootstrap(['--tenant', ' Acme ', '--environment', 'live'])).toEqual({
      tenant: 'Acme',
      environment: 'live',
      debounceMs: undefined,
      maxWaitMs: undefined,
      json: false,
    });
    expect(readBootstrap(['--tenant', 'A', '--environment', 'test', '--json', '--debounce-ms', '0', '--max-wait-ms', '0'])).toEqual({
      tenant: 'A',
      environment: 'test',
      debounceMs: 0,
      maxWaitMs: 0,
      json: true,
    });
  });

  it.each([
    [[], '--tenant'],
    [['twice'], 'Usage'],
    [['--surprise'], 'surprise'],
    [['--environment', 'test'], '--tenant'],
    [['--tenant', ' ', '--environment', 'test'], '--tenant'],
    [['--tenant', 'A'], '--environment'],
    [['--tenant', 'A', '--environment', 'prod'], '--environment'],
    [['--tenant', 'A', '--environment', 'test', '--debounce-ms', '-1'], 'debounce-ms'],
    [['--tenant', 'A', '--environment', 'test', '--debounce-ms=1.5'], '--debounce-ms'],
    [['--tenant', 'A', '--environment', 'test', '--debounce-ms', '9', '--max-wait-ms', '5'], '--max-wait-ms'],
    [['--tenant', 'A', '--environment', 'test', '--max-wait-ms', '4999'], '--max-wait-ms'],
  ])('%j is refused and says why: %s', (args, words) => {
    expect(() => readBootstrap(args)).toThrow(words);
  });
});
