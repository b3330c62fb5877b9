import { describe, expect, it } from '@jest/globals';
import { ConfigError, databaseUrl, httpUrl, keys, port, readConfig, redisUrl, whole } from './read-config.js';

describe('the environment', () => {
  const shape = {
    DATABASE_URL: databaseUrl(),
    REDIS_URL: redisUrl(),
    API_PORT: port().default(4100),
    BATCH: whole(1, 10).default(2),
    PUBLIC_URL: httpUrl('the address of the API'),
    TRIBUTARY_KEYS: keys(),
  };

  it('is read with defaults, and an empty variable counts as not set', () => {
    expect(
      readConfig(shape, {
        DATABASE_URL: 'postgres://u:p@h/d',
        REDIS_URL: '',
        PUBLIC_URL: 'https://api.example.test/',
        TRIBUTARY_KEYS: 'k:x',
      }),
    ).toEqual({
      DATABASE_URL: 'postgres://u:p@h/d',
      API_PORT: 4100,
      BATCH: 2,
      PUBLIC_URL: 'https://api.example.test',
      TRIBUTARY_KEYS: 'k:x',
    });
  });

  it('that is wrong lists every fault at once and shows no value', () => {
    const fault = () =>
      readConfig(shape, { DATABASE_URL: 'hunter2', REDIS_URL: 'http://h', API_PORT: '70000', BATCH: '1.5', PUBLIC_URL: 'ftp://h' });
    expect(fault).toThrow(ConfigError);
    for (const words of [
      'DATABASE_URL: is not a PostgreSQL address',
      'REDIS_URL: is not a Redis address',
      'API_PORT: expected a port',
      'BATCH: expected a whole number from 1 to 10',
      'PUBLIC_URL: is not a web address',
      'TRIBUTARY_KEYS: is not set',
    ]) {
      expect(fault).toThrow(words);
    }
    expect(fault).not.toThrow(/hunter2/);
  });
});
