import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { choosePorts } from './ports.js';

const occupied = async () => {
  const server = net.createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
};

describe('ports', () => {
  it('are all different, and free ones where 0 was asked for', async () => {
    const ports = await choosePorts({ API_PORT: 0, INGEST_PORT: 0, WORKER_PORT: 0, OUTBOUND_PORT: 0, SANDBOX_PORT: 0, RECEIVER_PORT: 0 });
    expect(new Set(Object.values(ports)).size).toBe(6);
    expect(Object.values(ports).every((port) => port > 0)).toBe(true);
  });

  it('that were asked for and are taken are an error with the variable and the remedy', async () => {
    const { port, close } = await occupied();
    await expect(choosePorts({ WORKER_PORT: port })).rejects.toThrow(
      `Port ${port} is in use by another program. Set WORKER_PORT to a free port`,
    );
    await close();
  });

  it('that two processes were given are an error that names both', async () => {
    await expect(choosePorts({ API_PORT: 4444, INGEST_PORT: 4444 })).rejects.toThrow(
      'API_PORT and INGEST_PORT are both 4444. Set one of them to another port, or to 0 for any.',
    );
  });

  it('that were asked for are no default of another', async () => {
    const { port, close } = await occupied();
    await close();
    const ports = await choosePorts({ RECEIVER_PORT: port });
    expect(Object.values(ports).filter((chosen) => chosen === port)).toHaveLength(1);
    await expect(
      choosePorts({ RECEIVER_PORT: 4100 }).then(
        ({ API_PORT }) => API_PORT === 4100,
        () => false,
      ),
    ).resolves.toBe(false);
  });
});
