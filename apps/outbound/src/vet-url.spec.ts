import { describe, expect, it } from '@jest/globals';
import { addressPolicy, parseNetworks } from './allowed-address.js';
import { vetUrl } from './vet-url.js';

const policy = addressPolicy([]);
const verdict = (url: string, environment: 'live' | 'test' = 'test') => vetUrl(url, environment, policy).is;

describe('addresses we do not send to', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.1.2.3',
    '169.254.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ])('IPv4 %s', (address) => {
    expect(policy.allows(address)).toBe(false);
    expect(verdict(`https://${address}/hook`)).toBe('address_refused');
  });

  it.each([
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:1::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:c0a8:1::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'ff0e::1',
    '4000::1',
  ])('IPv6 %s', (address) => {
    expect(policy.allows(address)).toBe(false);
    expect(verdict(`https://[${address}]/hook`)).toBe('address_refused');
  });

  it.each(['', 'localhost', 'fe80::1%eth0', '2606:4700::1%eth0', '1.2.3', '0x7f.1', '1.2.3.4.5'])(
    'what is no plain address: %p',
    (address) => {
      expect(policy.allows(address)).toBe(false);
    },
  );
});

describe('addresses we send to', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('%s', (address) => {
    expect(policy.allows(address)).toBe(true);
  });
});

describe('ways round a check of the text', () => {
  it.each([
    ['decimal', 'http://2130706433/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal with zeros', 'http://00000177.0.0.1/'],
    ['hexadecimal', 'http://0x7f000001/'],
    ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1/'],
    ['two parts', 'http://127.1/'],
    ['three parts', 'http://127.0.1/'],
    ['zero', 'http://0/'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['enclosed digits', 'http://①②⑦.0.0.1/'],
    ['an ideographic stop', 'http://127。0。0。1/'],
    ['a percent sign', 'http://%31%32%37.0.0.1/'],
    ['a trailing stop', 'http://127.0.0.1./'],
    ['metadata in decimal', 'http://2852039166/latest/meta-data/'],
    ['mapped', 'http://[::ffff:127.0.0.1]/'],
    ['mapped in hexadecimal', 'http://[::ffff:7f00:1]/'],
    ['mapped, written out', 'http://[0:0:0:0:0:ffff:7f00:0001]/'],
    ['compatible', 'http://[::7f00:1]/'],
    ['NAT64', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['6to4', 'http://[2002:a9fe:a9fe::1]/'],
    ['metadata in octal', 'http://0251.0376.0251.0376/'],
    ['metadata in hexadecimal', 'http://0xA9FEA9FE/'],
    ['metadata in two parts', 'http://169.16689662/'],
    ['metadata, number systems mixed', 'http://0xa9.254.0251.254/'],
    ['metadata of IPv6', 'http://[fd00:ec2::254]/'],
    ['translated', 'http://[::ffff:0:7f00:1]/'],
    ['NAT64 for local use', 'http://[64:ff9b:1::7f00:1]/'],
    ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['multicast', 'http://[ff02::1]/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['shared address space', 'http://100.64.0.1/'],
    ['a tab in the middle', 'http://127.0.\t0.1/'],
    ['a backslash for a slash', 'http:\\\\127.0.0.1\\hook'],
    ['a port', 'http://127.0.0.1:22/'],
  ])('%s', (_name, url) => {
    expect(verdict(url)).toBe('address_refused');
  });

  it.each([
    ['localhost with a trailing stop', 'http://localhost./', 'localhost.'],
    ['localhost in enclosed letters', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'localhost'],
    ['localhost and an ideographic stop', 'http://localhost。/', 'localhost.'],
    ['localhost in capitals', 'http://LOCALHOST/', 'localhost'],
    ['a name in its own script', 'http://münchen.example/', 'xn--mnchen-3ya.example'],
    ['a name with a soft hyphen', 'http://local\u00adhost/', 'localhost'],
  ])('%s: a name, judged by what it points to, under the spelling that is looked up', (_name, url, host) => {
    const vetted = vetUrl(url, 'test', policy);
    expect(vetted.is === 'ok' && vetted.url.hostname).toBe(host);
  });

  it.each([
    'http://user@1.1.1.1/',
    'https://:word@hooks.example/',
    'https://%75ser@hooks.example/',
    'http://user:word@1.1.1.1/',
    'http://1.1.1.1@127.0.0.1/',
    'ftp://1.1.1.1/',
    'file:///etc/passwd',
    'gopher://1.1.1.1/',
    'data:,x',
    'unix:/run/docker.sock',
    '//1.1.1.1/',
    '',
    'not a url',
    'http://',
    'http://[fe80::1%25eth0]/',
    'https://exa mple.com/',
    'http://1.1.1.1.1/',
  ])('no address to send to at all: %p', (url) => {
    expect(verdict(url)).toBe('url_refused');
  });
});

describe('TLS', () => {
  it('may be missing in a test environment', () => {
    expect(vetUrl('http://hooks.example.com/x?y=1', 'test', policy)).toMatchObject({ is: 'ok', onlyAllowListed: false });
    expect(verdict('http://1.1.1.1/', 'test')).toBe('ok');
  });

  it('may not be missing in a live environment, except into a network that the operator named', () => {
    expect(verdict('http://1.1.1.1/', 'live')).toBe('url_refused');
    expect(verdict('https://1.1.1.1/', 'live')).toBe('ok');
    expect(vetUrl('http://hooks.example.com/', 'live', policy)).toMatchObject({ is: 'ok', onlyAllowListed: true });
    const home = addressPolicy(['10.1.0.0/16', '::1/128']);
    expect(vetUrl('http://10.1.2.3/', 'live', home).is).toBe('ok');
    expect(vetUrl('http://[::1]/', 'live', home).is).toBe('ok');
    expect(vetUrl('http://10.2.0.1/', 'live', home).is).toBe('address_refused');
  });
});

describe('networks that the operator names', () => {
  it('are read from a list', () => {
    expect(parseNetworks(' 127.0.0.0/8, ::1/128,10.1.0.0/16 ')).toEqual(['127.0.0.0/8', '::1/128', '10.1.0.0/16']);
    expect(parseNetworks('')).toEqual([]);
  });

  it.each(['127.0.0.1', '127.0.0.0/33', '::1/129', 'localhost/8', '10.0.0.0/8/8', '10.0.0.0/x', '10.0.0.0/', '/8', '10.0.0/8'])(
    'are refused when they are %p',
    (text) => {
      expect(() => parseNetworks(text)).toThrow(`"${text}" is not a network`);
    },
  );

  it('open exactly themselves, and not the same address in another dress', () => {
    const home = addressPolicy(['127.0.0.0/8']);
    expect(home.allows('127.9.9.9')).toBe(true);
    expect(home.isAllowListed('127.9.9.9')).toBe(true);
    for (const other of ['::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254']) expect(home.allows(other)).toBe(false);
    expect(home.isAllowListed('1.1.1.1')).toBe(false);
  });
});
