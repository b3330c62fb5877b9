import { describe, expect, it } from '@jest/globals';
import { outboundConfig } from './outbound.config.js';

const key = Buffer.alloc(32, 1).toString('base64');
const enough = { DATABASE_URL: 'postgres://u:p@db:5432/tributary', TRIBUTARY_KEYS: `k1:${key}` };

describe('the configuration', () => {
  it('needs a database and keys, and has defaults for the rest', () => {
    expect(outboundConfig(enough)).toMatchObject({
      host: '127.0.0.1',
      port: 4103,
      logLevel: 'info',
      databaseUrl: enough.DATABASE_URL,
      redisUrl: undefined,
      allowNetworks: [],
    });
  });

  it('names every variable that is missing at once', () => {
    expect(() => outboundConfig({})).toThrow(/DATABASE_URL: is not set[\s\S]*TRIBUTARY_KEYS: is not set/);
  });

  it.each([
    ['OUTBOUND_PORT', '99999', 'OUTBOUND_PORT: expected a port from 0 to 65535'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL: expected one of fatal'],
    ['REDIS_URL', 'http://redis', 'REDIS_URL: is not a Redis address'],
    ['TRIBUTARY_KEYS', 'k1:c2hvcnQ=', 'TRIBUTARY_KEYS: expected id:base64 pairs'],
    ['OUTBOUND_ALLOW_NETWORKS', '127.0.0.0/8,10.0.0.0', 'OUTBOUND_ALLOW_NETWORKS: "10.0.0.0" is not a network'],
  ])('refuses %s=%s and says why', (variable, value, message) => {
    expect(() => outboundConfig({ ...enough, [variable]: value })).toThrow(message);
  });

  it('does not show a key that is wrong', () => {
    expect(() => outboundConfig({ ...enough, TRIBUTARY_KEYS: 'k1:c2hvcnQ=' })).not.toThrow('c2hvcnQ=');
  });

  it('opens private networks in development, and refuses to start so in production', () => {
    const open = { ...enough, OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8' };
    expect(outboundConfig(open).allowNetworks).toEqual(['127.0.0.0/8']);
    expect(() => outboundConfig({ ...open, NODE_ENV: 'production' })).toThrow(
      'OUTBOUND_ALLOW_NETWORKS is set while NODE_ENV is production',
    );
    expect(outboundConfig({ ...enough, NODE_ENV: 'production' }).allowNetworks).toEqual([]);
  });
});
