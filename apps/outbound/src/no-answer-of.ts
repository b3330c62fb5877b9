import type { NoAnswer } from '@tributary/domain';

/** Codes of sockets, TLS and undici in our words. */
const words: Readonly<Record<string, NoAnswer>> = {
  ADDRESS_REFUSED: 'address_refused',
  DNS_FAILED: 'dns_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_closed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EPROTO: 'tls_invalid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_invalid',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_invalid',
  HOSTNAME_MISMATCH: 'tls_invalid',
  INVALID_CA: 'tls_invalid',
  PATH_LENGTH_EXCEEDED: 'tls_invalid',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
  UND_ERR_INVALID_ARG: 'url_refused',
};

/** Why a request that failed with this error has no answer. An error that nobody has met yet counts as an unreachable host. */
export function noAnswerOf(error: unknown): NoAnswer {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  // undici's parser does not always give a code.
  if (name === 'HTTPParserError') return 'bad_response';
  if (typeof code !== 'string') return 'unreachable';
  const word = words[code];
  if (word !== undefined) return word;
  if (/^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|CRL_)/.test(code)) return 'tls_invalid';
  return 'unreachable';
}
