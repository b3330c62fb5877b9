import { describe, expect, it } from '@jest/globals';
import { apiConfig } from './api.config.js';

const env = { DATABASE_URL: 'postgres://u:p@db:5432/t', TRIBUTARY_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };

describe('the environment of the api', () => {
  it('has a default for all that is not a secret or an address of ours', () => {
    expect(apiConfig(env)).toMatchObject({
      host: '127.0.0.1',
      port: 4100,
      logLevel: 'info',
      redisUrl: undefined,
      publicApiUrl: 'http://127.0.0.1:4100',
      publicIngestUrl: 'http://127.0.0.1:4101',
      sandboxUrl: undefined,
    });
    expect(apiConfig({ ...env, API_PORT: '4999' }).publicApiUrl).toBe('http://127.0.0.1:4999');
    expect(apiConfig({ ...env, PUBLIC_API_URL: 'https://api.example/' }).publicApiUrl).toBe('https://api.example');
  });

  it.each([
    ['DATABASE_URL', ''],
    ['DATABASE_URL', 'mysql://db'],
    ['TRIBUTARY_KEYS', 'nonsense'],
    ['TRIBUTARY_KEYS', ''],
    ['API_PORT', '99999'],
    ['LOG_LEVEL', 'loud'],
    ['REDIS_URL', 'http://redis'],
    ['PUBLIC_API_URL', 'api.example'],
    ['PUBLIC_INGEST_URL', 'ftp://x'],
    ['TRIBUTARY_SANDBOX_URL', 'x'],
    ['API_POOL_SIZE', '0'],
  ])('%s=%p is refused by its name, and the value is not shown', (name, value) => {
    let message = '';
    try {
      apiConfig({ ...env, [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`${name}:`);
    expect(message).not.toContain(env.TRIBUTARY_KEYS);
  });
});
