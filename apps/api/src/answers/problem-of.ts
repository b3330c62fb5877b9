import { HttpException } from '@nestjs/common';
import { Problem } from '@tributary/domain';
import { ProviderUnreachable } from '@tributary/providers';

/** Any error as a problem; `internal` for what nobody foresaw. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ProviderUnreachable) return providerProblem(error);
  if (error instanceof HttpException) return ofHttpStatus(error.getStatus(), error.message);
  const { code, statusCode, message } = error as { code?: unknown; statusCode?: unknown; message?: string };
  if (typeof code === 'string') {
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ofHttpStatus(413, '');
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return ofHttpStatus(415, '');
    if (isStorageDown(code)) return storageDown();
  }
  // The pool's own words when no connection could be had in time, or one broke: it gives them no code.
  if (message !== undefined && /^(timeout exceeded when trying to connect|Connection terminated)/.test(message)) return storageDown();
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return ofHttpStatus(statusCode, message ?? '');
  return new Problem(
    'internal',
    'Something failed on our side. Nothing of this request was kept. Name the request id when you ask about it.',
  );
}

/** A 4xx means that the provider will not have it, whatever the network does. */
function providerProblem(error: ProviderUnreachable): Problem {
  return /_http_4\d\d$/.test(error.code)
    ? new Problem('provider_refused', `The provider refused: ${error.code}. Check the client id and secret of the provider app.`)
    : new Problem('provider_unavailable', `The provider gave no usable answer: ${error.code}. Try again later.`);
}

function ofHttpStatus(status: number, message: string): Problem {
  switch (status) {
    case 404:
      return new Problem('not_found', message || 'There is no such route. The routes are listed at /docs.');
    case 413:
      return new Problem('body_too_large', 'The body is too large: at most 1 MiB.');
    case 415:
      return new Problem('unsupported_media_type', 'The body must be JSON, with the header "Content-Type: application/json".');
    case 405:
      return new Problem('method_not_allowed', message || 'The route does not have this method.');
    case 401:
      return new Problem('unauthenticated', message);
    case 403:
      return new Problem('forbidden', message);
    default:
      return new Problem(status >= 500 ? 'internal' : 'malformed_request', message || 'The request could not be read.');
  }
}

function storageDown(): Problem {
  return new Problem(
    'storage_unavailable',
    'The database does not answer at this moment. Nothing of this request was kept; send it again.',
  );
}

/** Connection trouble (class 08), shortage (53), shutdown (57P), and what the socket itself says. */
function isStorageDown(code: string): boolean {
  return (
    /^(08...|53...|57P..)$/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)
  );
}
