import { describe, expect, it } from '@jest/globals';
import { workerConfig } from './worker.config.js';

const least = { DATABASE_URL: 'postgres://u@h/db', TRIBUTARY_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` };

describe('the environment of the worker', () => {
  it('needs a database and keys, and has a default for the rest', () => {
    expect(workerConfig(least)).toMatchObject({
      host: '127.0.0.1',
      port: 4102,
      redisUrl: undefined,
      publicIngestUrl: 'http://127.0.0.1:4101',
      sandboxUrl: undefined,
      leaseMs: 30_000,
      slice: 32,
      fetches: 16,
      poolSize: 12,
    });
  });

  it.each([
    [{ DATABASE_URL: undefined }, /DATABASE_URL: is not set; give a PostgreSQL address/],
    [{ TRIBUTARY_KEYS: undefined }, /TRIBUTARY_KEYS: is not set/],
    [{ TRIBUTARY_KEYS: 'k1:short' }, /TRIBUTARY_KEYS: expected id:base64 pairs/],
    [{ WORKER_LEASE_MS: '5' }, /WORKER_LEASE_MS: expected a whole number from 1000/],
    [{ TRIBUTARY_SANDBOX_URL: 'nowhere' }, /TRIBUTARY_SANDBOX_URL: is not a web address/],
    [{ WORKER_PORT: 'http' }, /WORKER_PORT: expected a port/],
  ])('says which variable is wrong and what to do: %j', (changes, message) => {
    expect(() => workerConfig({ ...least, ...changes })).toThrow(message);
  });

  it('names every fault at once and shows no value', () => {
    const read = () => workerConfig({ DATABASE_URL: 'mysql://root:hunter2@h', TRIBUTARY_KEYS: '', WORKER_SLICE: '0' });
    expect(read).toThrow(/DATABASE_URL[^]*TRIBUTARY_KEYS[^]*WORKER_SLICE/);
    expect(read).not.toThrow(/hunter2/);
  });
});
