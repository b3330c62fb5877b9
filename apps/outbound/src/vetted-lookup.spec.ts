import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { addressPolicy } from './allowed-address.js';
import { noAnswerOf } from './no-answer-of.js';
import type { ResolveHost } from './resolve-host.js';
import { vettedLookup } from './vetted-lookup.js';

// What a name turns out to be. doubles: the name server.  oracles: the addresses handed to the socket, and the word for a refusal.
const anywhere = addressPolicy([]).allows;

function look(hostname: string, resolve: ResolveHost, { all = true, allows = anywhere } = {}): Promise<string | LookupAddress[]> {
  return new Promise((found) =>
    vettedLookup(resolve, allows)(hostname, { all }, (error, addresses) => found(error ? noAnswerOf(error) : addresses)),
  );
}
const says =
  (...addresses: string[]): ResolveHost =>
  async () =>
    addresses;
const fails =
  (code: string): ResolveHost =>
  async () => {
    throw Object.assign(new Error(`query ${code}`), { code });
  };
const neverAsked: ResolveHost = async (name) => {
  throw new Error(`${name} was asked for`);
};

describe('the addresses of a name', () => {
  it('are all handed over when all are public, with their families', async () => {
    const found = [
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::6810:1', family: 6 },
    ];
    expect(await look('hooks.example', says('93.184.215.14', '2606:4700::6810:1'))).toEqual(found);
    expect(await look('hooks.example', says('93.184.215.14', '2606:4700::6810:1'), { all: false })).toBe('93.184.215.14');
  });

  it.each([
    ['a private A beside a public one', ['93.184.215.14', '10.0.0.1']],
    ['a private AAAA beside a public A', ['93.184.215.14', 'fd00::1']],
    ['a private A beside a public AAAA', ['192.168.1.1', '2606:4700::6810:1']],
    ['a loopback last', ['93.184.215.14', '93.184.215.15', '::1']],
    ['mapped', ['::ffff:10.0.0.1']],
    ['mapped, of a public address', ['::ffff:93.184.215.14']],
    ['NAT64 of metadata', ['64:ff9b::a9fe:a9fe']],
    ['NAT64 for local use', ['64:ff9b:1::a00:1']],
    ['6to4 of a private address', ['2002:a00:1::1']],
    ['Teredo', ['2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    ['link-local', ['169.254.10.10']],
    ['link-local of IPv6', ['fe80::1']],
    ['link-local with a zone', ['fe80::1%eth0']],
    ['metadata', ['169.254.169.254']],
    ['metadata of IPv6', ['fd00:ec2::254']],
    ['metadata of Alibaba', ['100.100.100.200']],
    ['shared address space', ['100.64.0.1']],
    ['multicast', ['224.0.0.251']],
    ['multicast of IPv6', ['ff02::fb']],
    ['broadcast', ['255.255.255.255']],
    ['this host', ['0.0.0.0']],
    ['nothing', []],
    ['no address at all', ['hooks.example']],
  ])('refuse the name for %s', async (_name, addresses) => {
    expect(await look('hooks.example', says(...addresses))).toBe('address_refused');
  });

  it.each(['ESERVFAIL', 'ENOTFOUND', 'ENODATA', 'ETIMEOUT', 'EREFUSED', 'ECONNREFUSED', 'EBADRESP'])(
    'are refused when the name server fails with %s, which is a failure of its own and not a refusal for good',
    async (code) => {
      expect(await look('hooks.example', fails(code))).toBe('dns_failed');
    },
  );

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.LocalHost.'])(
    '%s is this machine, and is not asked for',
    async (name) => {
      expect(await look(name, neverAsked)).toBe('address_refused');
      const home = addressPolicy(['127.0.0.0/8']).allows;
      expect(await look(name, neverAsked, { allows: home })).toEqual([{ address: '127.0.0.1', family: 4 }]);
    },
  );

  it.each(['localhost.example', 'notlocalhost', 'localhost.localdomain'])('%s is a name like any other', async (name) => {
    expect(await look(name, says('93.184.215.14'))).toEqual([{ address: '93.184.215.14', family: 4 }]);
    expect(await look(name, says('127.0.0.1'))).toBe('address_refused');
  });
});
