/**
 * A private server cannot be started or kept. The message is for a person: what is wrong, and what to do.
 * - `busy`: another process holds the folder · `disk`: too little space · `access`: the folder belongs to another user
 * - `port`: the port is taken · `missing`: no server program · `data`: the folder holds something that we cannot use
 * - `failed`: the server did not start, with the end of its log
 */
export class EmbeddedServiceError extends Error {
  override readonly name = 'EmbeddedServiceError';
  constructor(
    readonly code: 'busy' | 'disk' | 'access' | 'port' | 'missing' | 'data' | 'failed',
    message: string,
  ) {
    super(message);
  }
}
