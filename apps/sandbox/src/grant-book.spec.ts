import { beforeEach, describe, expect, it } from '@jest/globals';
import { GrantBook, type Tokens } from './grant-book.js';

describe('grants of a stand-in', () => {
  let now: number;
  let book: GrantBook;
  beforeEach(() => {
    now = 1_789_452_300_000;
    book = new GrantBook(() => now);
  });

  const issue = () => book.issueCode({ clientId: 'app', subjectId: 'ada', redirectUri: 'https://a.test/cb', scopes: ['daily'] });
  const exchange = (code: string, change: Partial<{ clientId: string; redirectUri: string }> = {}) =>
    book.exchange({ clientId: 'app', code, redirectUri: 'https://a.test/cb', ttlS: 60, ...change });
  const granted = (outcome: Tokens | 'invalid_grant'): Tokens => {
    if (outcome === 'invalid_grant') throw new Error('refused');
    return outcome;
  };
  const refresh = (refreshToken: string, clientId = 'app') => book.refresh({ clientId, refreshToken, ttlS: 60 });
  const reads = (accessToken: string) => book.bearer(accessToken)?.live ?? false;

  it('a code works for ten minutes and not a moment longer', () => {
    const [early, late] = [issue(), issue()];
    now += 600_000;
    expect(granted(exchange(early)).grant.scopes).toEqual(['daily']);
    now += 1;
    expect(exchange(late)).toBe('invalid_grant');
  });

  it('a code is bound to its app and its redirect address, and a wrong try does not use it up', () => {
    const code = issue();
    expect(exchange(code, { clientId: 'other' })).toBe('invalid_grant');
    expect(exchange(code, { redirectUri: 'https://a.test/cb/' })).toBe('invalid_grant');
    expect(reads(granted(exchange(code)).accessToken)).toBe(true);
  });

  it('a code that comes twice ends what the first time gave', () => {
    const code = issue();
    const tokens = granted(exchange(code));
    expect(exchange(code)).toBe('invalid_grant');
    expect(reads(tokens.accessToken)).toBe(false);
    expect(refresh(tokens.refreshToken)).toBe('invalid_grant');
  });

  it('a refresh token rotates, and access tokens end on time', () => {
    const first = granted(exchange(issue()));
    now += 59_999;
    expect(reads(first.accessToken)).toBe(true);
    now += 1;
    expect(reads(first.accessToken)).toBe(false);
    const second = granted(refresh(first.refreshToken));
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(reads(second.accessToken)).toBe(true);
  });

  it('a refresh token that comes twice ends the grant, newest tokens included', () => {
    const first = granted(exchange(issue()));
    const second = granted(refresh(first.refreshToken));
    expect(refresh(first.refreshToken)).toBe('invalid_grant');
    expect(reads(second.accessToken)).toBe(false);
    expect(refresh(second.refreshToken)).toBe('invalid_grant');
  });

  it("another app's try with a refresh token is refused and does no harm", () => {
    const first = granted(exchange(issue()));
    expect(refresh(first.refreshToken, 'other')).toBe('invalid_grant');
    expect(granted(refresh(first.refreshToken)).grant.alive).toBe(true);
  });

  it('revoking and withdrawing end the grant and leave others alone', () => {
    const [one, two, three] = [granted(exchange(issue())), granted(exchange(issue())), granted(exchange(issue()))];
    book.revoke(one.accessToken);
    expect([reads(one.accessToken), reads(two.accessToken)]).toEqual([false, true]);
    expect(book.withdraw('ada', 'other')).toBe(0);
    expect(book.withdraw('ada', undefined)).toBe(2);
    expect([reads(two.accessToken), reads(three.accessToken)]).toEqual([false, false]);
  });

  it('a consent with a challenge is worth nothing without its verifier', () => {
    // RFC 7636, appendix B.
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const ask = { clientId: 'app', subjectId: 'ada', redirectUri: 'https://a.test/cb', scopes: ['daily'], challenge };
    const by = (verifier?: string) =>
      book.exchange({ clientId: 'app', code: book.issueCode(ask), redirectUri: 'https://a.test/cb', ttlS: 60, verifier });
    expect([by(), by(''), by(challenge)]).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant']);
    expect(granted(by('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).grant.alive).toBe(true);
  });

  it('where refresh tokens do not rotate, one is good any number of times, until the end of its grant', () => {
    book = new GrantBook(() => now, undefined, false);
    const first = granted(exchange(issue()));
    expect([1, 2].map(() => granted(refresh(first.refreshToken)).refreshToken)).toEqual([first.refreshToken, first.refreshToken]);
    book.revoke(first.accessToken);
    expect(refresh(first.refreshToken)).toBe('invalid_grant');
  });
});
