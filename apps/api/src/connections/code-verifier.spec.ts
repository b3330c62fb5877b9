import { describe, expect, it } from '@jest/globals';
import { codeChallenge, codeVerifier } from './code-verifier.js';

describe('the verifier of a consent', () => {
  it('is the same for the same consent, and another for each other one and for each app', () => {
    const verifiers = [codeVerifier('s1', 'a'), codeVerifier('s1', 'a'), codeVerifier('s2', 'a'), codeVerifier('s1', 'b')];
    expect(new Set(verifiers).size).toBe(3);
    // RFC 7636 §4.1: 43 to 128 characters that need no escaping.
    for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('has the challenge of the example in RFC 7636, appendix B', () => {
    expect(codeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });
});
