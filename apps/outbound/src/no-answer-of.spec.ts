import { describe, expect, it } from '@jest/globals';
import { errors } from 'undici';
import { noAnswerOf } from './no-answer-of.js';

describe('why there is no answer', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['UND_ERR_SOCKET', 'connection_closed'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'tls_invalid'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_invalid'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_invalid'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_invalid'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_invalid'],
    ['EPROTO', 'tls_invalid'],
    ['UND_ERR_HEADERS_OVERFLOW', 'bad_response'],
    ['ADDRESS_REFUSED', 'address_refused'],
    ['DNS_FAILED', 'dns_failed'],
    ['SOMETHING_NEW', 'unreachable'],
  ])('%s is %s', (code, word) => {
    expect(noAnswerOf(Object.assign(new Error('x'), { code }))).toBe(word);
  });

  it('is bad_response for what is no HTTP, with or without a code', () => {
    expect(noAnswerOf(new errors.HTTPParserError('Response does not match the HTTP/1.1 protocol'))).toBe('bad_response');
    expect(noAnswerOf(Object.assign(new errors.HTTPParserError('Bad constant'), { code: 'HPE_INVALID_CONSTANT' }))).toBe('bad_response');
  });

  it('is found for what is no error at all', () => {
    expect(noAnswerOf(undefined)).toBe('unreachable');
    expect(noAnswerOf(new Error('no code'))).toBe('unreachable');
  });
});
