import { describe, expect, it } from '@jest/globals';
import { allows, keyScopes, scopeOfRoute } from './key-scope.js';

describe('what a key may do', () => {
  it.each([
    ['GET', '/v1/users/:id', 'users:read'],
    ['DELETE', '/v1/users/:id', 'users:write'],
    ['GET', '/v1/users/:id/daily', 'records:read'],
    ['PUT', '/v1/users/:id/source-priorities/:metric', 'records:write'],
    ['GET', '/v1/users/:id/export', 'users:write'],
    ['POST', '/v1/connections/export', 'grants:read'],
    ['POST', '/v1/connections/import', 'connections:write'],
    ['POST', '/v1/records/batch', 'records:read'],
    ['POST', '/v1/endpoints/:id/rotate-secret', 'endpoints:write'],
    ['GET', '/v1/audit-log', 'admin:read'],
    ['POST', '/v1/api-keys', 'admin:write'],
    ['GET', '/v1/something-new', 'admin:read'],
  ])('%s %s asks for %s', (method, pattern, scope) => {
    expect(scopeOfRoute(method, pattern)).toBe(scope);
  });

  it('writing includes reading of the same area, * everything, and nothing else is lent', () => {
    for (const scope of keyScopes) expect(allows(['*'], scope)).toBe(true);
    expect(allows(['users:write'], 'users:read')).toBe(true);
    expect(allows(['users:read'], 'users:write')).toBe(false);
    expect(allows(['users:write'], 'records:read')).toBe(false);
    expect(allows(['users:write'], '*')).toBe(false);
    expect(allows([], 'users:read')).toBe(false);
  });
});
