import { once } from 'node:events';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { refuseWhileClosing } from './refuse-while-closing.js';

describe('an API that is closing', () => {
  it('ends what it works, and tells who still speaks to it, as a problem, to send again', async () => {
    const server = Fastify({ return503OnClosing: false, forceCloseConnections: false });
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    refuseWhileClosing(server);
    const worked: string[] = [];
    server.get('/quick', (_request, reply) => {
      worked.push('quick');
      return reply.send('done');
    });
    server.get('/slow', async () => {
      worked.push('slow');
      await held;
      return 'done';
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const speak = async (socket: Socket, path: string) => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return ((await once(socket, 'data')) as [Buffer])[0].toString();
    };
    const [open, busy] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    expect(await speak(open, '/quick')).toMatch(/^HTTP\/1.1 200/);
    // Node cuts off connections that rest; this one has a request half under way when the closing begins.
    open.write('GET /quick HTTP/1.1\r\nhost: x\r\n');
    const slow = speak(busy, '/slow');
    while (!worked.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 5));

    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = server.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const told = once(open, 'data') as Promise<[Buffer]>;
    open.write('\r\n');
    const refused = (await told)[0].toString();
    expect(refused).toMatch(/^HTTP\/1.1 503/);
    expect(refused.toLowerCase()).toContain('content-type: application/problem+json');
    expect(refused.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(refused.slice(refused.indexOf('\r\n\r\n')))).toMatchObject({
      status: 503,
      code: 'shutting_down',
      type: '/problems/shutting_down',
    });
    letGo();
    expect(await slow).toMatch(/^HTTP\/1.1 200/);
    busy.end();
    await closed;
    expect(worked).toEqual(['quick', 'slow']);
  });
});
