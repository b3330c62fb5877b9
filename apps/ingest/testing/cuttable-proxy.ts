import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** A wire to Postgres that a test can cut: open connections break and new ones are refused, as when the server stops. */
export class CuttableProxy {
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

  constructor(private readonly target: URL) {
    this.#server = this.#listen(0);
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await new Promise((resolve) => this.#server.once('listening', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.#server = this.#listen(this.#port);
    await new Promise((resolve) => this.#server.once('listening', resolve));
  }

  #listen(port: number): Server {
    return createServer((near) => {
      const far = connect({ host: this.target.hostname, port: Number(this.target.port || 5432) });
      for (const [a, b] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(a);
        a.on('error', () => b.destroy());
        a.on('close', () => {
          this.#sockets.delete(a);
          b.destroy();
        });
        a.pipe(b);
      }
    }).listen(port, '127.0.0.1');
  }
}
