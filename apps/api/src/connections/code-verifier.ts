import { createHash, createHmac } from 'node:crypto';

/**
 * The secret half of a consent by RFC 7636. It is made of the state and not kept: the state comes back from the consent, and whoever has
 * nothing but what the browser carries cannot make it. A client secret that is rotated meanwhile costs that one consent.
 */
export function codeVerifier(state: string, clientSecret: string): string {
  return createHmac('sha256', clientSecret).update(`code verifier\0${state}`).digest('base64url');
}

/** The half that goes through the browser; method S256. */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
