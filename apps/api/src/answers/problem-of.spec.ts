import { NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Problem } from '@tributary/domain';
import { ProviderUnreachable } from '@tributary/providers';
import { problemOf } from './problem-of.js';

describe('failures as problems', () => {
  it.each([
    ['a problem itself', new Problem('conflict', 'x'), 'conflict'],
    ['a route that is not there', new NotFoundException(), 'not_found'],
    ['a body that is too large', { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 'body_too_large'],
    ['a body of another type', { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'unsupported_media_type'],
    ['a request that HTTP itself refuses', { code: 'FST_ERR_BAD_URL', statusCode: 400, message: 'bad url' }, 'malformed_request'],
    ['a database that is not there', { code: 'ECONNREFUSED' }, 'storage_unavailable'],
    ['a database that shuts down', { code: '57P01' }, 'storage_unavailable'],
    ['a database without connections', { code: '53300' }, 'storage_unavailable'],
    ['a pool that gave up waiting', new Error('timeout exceeded when trying to connect'), 'storage_unavailable'],
    ['a provider that refuses', new ProviderUnreachable('subscription_list_http_403'), 'provider_refused'],
    ['a provider that fails', new ProviderUnreachable('subscription_list_http_500'), 'provider_unavailable'],
    ['a provider that is not there', new ProviderUnreachable('ECONNREFUSED'), 'provider_unavailable'],
    ['a constraint that we broke', { code: '23505' }, 'internal'],
    ['anything else', new Error('secret detail'), 'internal'],
  ])('%s', (_, error, code) => {
    expect(problemOf(error).code).toBe(code);
  });

  it('what nobody foresaw shows none of its words', () => {
    expect(problemOf(new Error('secret detail')).message).not.toContain('secret');
  });
});
