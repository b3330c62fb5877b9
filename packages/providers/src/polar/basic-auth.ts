import type { ClientCredentials } from '../provider.js';

/** Client id and secret by Basic, as the token endpoint and the management of webhooks want them (RFC 6749 §2.3.1). */
export function basicAuth({ clientId, clientSecret }: ClientCredentials): string {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
