import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nobody uses now. Somebody may take it before it is used: be ready to ask again. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
