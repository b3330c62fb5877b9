import { createHash, randomBytes } from 'node:crypto';

const NAME = 'tributary_connect';
const LIFETIME_S = 86_400;

/** The value that a browser was given, from its `Cookie` header; undefined when it has none of our making. */
export function readBrowser(header: string | undefined): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=');
    return name === NAME && value !== undefined && /^[\w-]{43}$/.test(value) ? [value] : [];
  });
  // Two of one name: somebody planted one, and we cannot tell which.
  return values.length === 1 ? values[0] : undefined;
}

export function newBrowser(): string {
  return randomBytes(32).toString('base64url');
}

/** Comes back from a provider (a top-level navigation), and from no form of another site. */
export function setBrowser(value: string, secure: boolean): string {
  return `${NAME}=${value}; Path=/connect; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** What is kept of it. */
export function hashBrowser(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
