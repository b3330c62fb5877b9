/// <reference types="node" />
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The part of Nest's HTTP adapter that is used. */
export interface ProbedAdapter {
  getInstance(): unknown;
  getHttpServer(): unknown;
}

export interface Probe {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Settles when the request got an answer, or none for so long. */
  readonly timeoutMs: number;
}

/**
 * Sends a small JSON request through the application's own parsers and routes, without a socket. Whoever sent it learns from the route
 * whether the raw bytes arrive there: no setting tells that for certain, since parsers come from many places.
 */
export async function probeRoute(adapter: ProbedAdapter, { path, headers, timeoutMs }: Probe): Promise<void> {
  // Fastify routes nothing before its plugins are loaded.
  const { ready } = adapter.getInstance() as { ready?: () => PromiseLike<unknown> };
  if (typeof ready === 'function') await ready.call(adapter.getInstance());
  const answered = requestThrough(adapter.getHttpServer() as NodeJS.EventEmitter, path, headers);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([answered, tooLong]).finally(() => clearTimeout(timer));
}

function requestThrough(server: NodeJS.EventEmitter, path: string, headers: Probe['headers']): Promise<void> {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {
    method: 'POST',
    url: path,
    headers: { ...headers, host: 'localhost', 'content-type': 'application/json', 'content-length': '2' },
  });
  request.push('{}');
  request.push(null);
  const response = new ServerResponse(request);
  const ended = new Promise<void>((resolve) => {
    const { end } = response;
    response.end = ((...args: Parameters<typeof end>) => {
      resolve();
      return end.apply(response, args);
    }) as typeof end;
  });
  server.emit('request', request, response);
  return ended;
}
