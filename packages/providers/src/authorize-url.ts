import type { OAuth } from './provider.js';

export interface ConsentPage {
  /** Below the origin, e.g. `/oauth/authorize`. */
  readonly path: string;
  /** What stands between two scopes; a space unless said. */
  readonly separator?: string;
  /** The provider takes no list of scopes. */
  readonly withoutScopes?: true;
  /** The challenge goes along, by the method S256; a provider that does not ask for one must not get it, or it wants the verifier. */
  readonly pkce?: true;
  /** What this provider wants beside the usual. */
  readonly more?: Readonly<Record<string, string>>;
}

/** The address of a provider's consent page. */
export function authorizeUrlOf({ path, separator = ' ', withoutScopes, pkce, more }: ConsentPage): OAuth['authorizeUrl'] {
  return ({ origins, clientId, redirectUri, state, scopes, codeChallenge }) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(withoutScopes !== true && { scope: scopes.join(separator) }),
      ...more,
      state,
      ...(pkce === true && { code_challenge: codeChallenge ?? '', code_challenge_method: 'S256' }),
    });
    return `${origins.authorize}${path}?${query}`;
  };
}
