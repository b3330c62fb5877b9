import type { IncomingMessage } from 'node:http';

/** How much of a body that was refused for its size is still taken from the wire, and thrown away, so that its sender comes to read. */
const LINGER_BYTES = 256 * 1024 * 1024;
/** And how long: a sender that is slower has had its answer meanwhile. */
const LINGER_MS = 3_000;

/** Reads on and forgets, up to a bound; then the connection ends, whatever the sender still has to say. */
export function drainRefused(request: IncomingMessage): void {
  let left = LINGER_BYTES;
  const cut = (): void => {
    request.socket.destroy();
  };
  const timer = setTimeout(cut, LINGER_MS).unref();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.once('close', () => clearTimeout(timer));
  request.resume();
}
