import { describe, expect, it } from '@jest/globals';
import { endpointUrlFault } from './endpoint-url.js';

describe('addresses of endpoints', () => {
  it.each(['https://customer.example/hooks?a=1', 'https://[2001:db8::1]:8443/', 'https://münchen.example/'])('%s can be one', (url) => {
    expect(endpointUrlFault(url, 'live')).toBeUndefined();
  });

  it('plain http is for the test environment', () => {
    expect(endpointUrlFault('http://localhost:3000/', 'test')).toBeUndefined();
    expect(endpointUrlFault('http://customer.example/', 'live')).toContain('https://');
  });

  it.each([
    ['', 'web address'],
    ['customer.example', 'web address'],
    ['https://', 'web address'],
    ['javascript:alert(1)', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['https://user@customer.example', 'user or password'],
    ['https://:pw@customer.example', 'user or password'],
    ['https://customer.example/#top', 'fragment'],
    ['https://a..b/', 'valid host'],
  ])('%p cannot: %s', (url, words) => {
    expect(endpointUrlFault(url, 'test')).toContain(words);
  });
});
