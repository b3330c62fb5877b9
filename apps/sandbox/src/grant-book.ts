import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '@tributary/service-shell';

export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly subjectId: string;
  readonly scopes: readonly string[];
  refreshToken: string;
  alive: boolean;
}

export interface Tokens {
  readonly grant: Grant;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInS: number;
}

interface Code {
  readonly clientId: string;
  readonly subjectId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Of its verifier, by S256; undefined for consents without one. */
  readonly challenge: string | undefined;
  readonly expiresAt: number;
  spentOn: Grant | undefined;
}

/**
 * Who lets which app read what. Refresh tokens rotate and are single use: an old one that comes back is taken for stolen and ends
 * the whole grant, which is what makes concurrent refreshes of one connection fatal at real providers.
 */
export class GrantBook {
  readonly #codes = new Map<string, Code>();
  readonly #byRefresh = new Map<string, Grant>();
  readonly #byAccess = new Map<string, { grant: Grant; expiresAt: number }>();
  readonly #grants = new Set<Grant>();

  /**
   * @param codeMs how long a code can be redeemed: minutes at some providers, seconds at others.
   * @param rotates whether a refresh brings a new refresh token.
   */
  constructor(
    private readonly now: Clock,
    private readonly codeMs = 600_000,
    private readonly rotates = true,
  ) {}

  all(): readonly Grant[] {
    return [...this.#grants];
  }

  issueCode(input: {
    clientId: string;
    subjectId: string;
    redirectUri: string;
    scopes: readonly string[];
    challenge?: string | undefined;
  }): string {
    const code = newToken();
    this.#codes.set(code, { ...input, challenge: input.challenge, expiresAt: this.now() + this.codeMs, spentOn: undefined });
    return code;
  }

  exchange(input: {
    clientId: string;
    code: string;
    redirectUri: string;
    verifier?: string | undefined;
    ttlS: number;
  }): Tokens | 'invalid_grant' {
    const code = this.#codes.get(input.code);
    if (code === undefined || code.clientId !== input.clientId) return 'invalid_grant';
    if (code.spentOn !== undefined) {
      this.#end(code.spentOn);
      return 'invalid_grant';
    }
    if (code.redirectUri !== input.redirectUri || code.expiresAt < this.now()) return 'invalid_grant';
    if (code.challenge !== undefined && code.challenge !== challengeOf(input.verifier ?? '')) return 'invalid_grant';
    const tokens = this.open({ clientId: code.clientId, subjectId: code.subjectId, scopes: code.scopes, ttlS: input.ttlS });
    code.spentOn = tokens.grant;
    return tokens;
  }

  /** A grant without the detour over a code: for tests that begin with a connected person. */
  open(input: { clientId: string; subjectId: string; scopes: readonly string[]; ttlS: number }): Tokens {
    const { clientId, subjectId, scopes, ttlS } = input;
    const grant: Grant = { id: randomUUID(), clientId, subjectId, scopes, refreshToken: '', alive: true };
    this.#grants.add(grant);
    return this.#renew(grant, ttlS);
  }

  refresh(input: { clientId: string; refreshToken: string; ttlS: number }): Tokens | 'invalid_grant' {
    const grant = this.#byRefresh.get(input.refreshToken);
    if (grant === undefined || grant.clientId !== input.clientId || !grant.alive) return 'invalid_grant';
    if (grant.refreshToken !== input.refreshToken) {
      this.#end(grant);
      return 'invalid_grant';
    }
    return this.#renew(grant, input.ttlS);
  }

  /** The grant that a bearer token stands for, even when it no longer counts. */
  bearer(accessToken: string): { readonly grant: Grant; readonly live: boolean } | undefined {
    const found = this.#byAccess.get(accessToken);
    return found && { grant: found.grant, live: found.grant.alive && found.expiresAt > this.now() };
  }

  revoke(accessToken: string): Grant | undefined {
    const grant = this.#byAccess.get(accessToken)?.grant;
    if (grant !== undefined) this.#end(grant);
    return grant;
  }

  /** The person takes the app out of their account; reads with its tokens are refused from now on. */
  withdraw(subjectId: string, clientId: string | undefined): number {
    const ended = this.all().filter((g) => g.alive && g.subjectId === subjectId && (clientId === undefined || g.clientId === clientId));
    for (const grant of ended) this.#end(grant);
    return ended.length;
  }

  clear(): void {
    for (const index of [this.#codes, this.#byRefresh, this.#byAccess, this.#grants]) index.clear();
  }

  #renew(grant: Grant, ttlS: number): Tokens {
    const accessToken = newToken();
    if (this.rotates || grant.refreshToken === '') grant.refreshToken = newToken();
    this.#byAccess.set(accessToken, { grant, expiresAt: this.now() + ttlS * 1000 });
    this.#byRefresh.set(grant.refreshToken, grant);
    return { grant, accessToken, refreshToken: grant.refreshToken, expiresInS: ttlS };
  }

  #end(grant: Grant): void {
    grant.alive = false;
  }
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const newToken = (): string => randomBytes(24).toString('base64url');
