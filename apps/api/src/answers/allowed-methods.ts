import type { FastifyInstance } from 'fastify';

const known = new WeakMap<object, { pattern: RegExp; method: string }[]>();

/** Remembers every route that is registered from now on, to tell a path that is not there from a method that it does not have. */
export function rememberRoutes(server: FastifyInstance): void {
  const routes: { pattern: RegExp; method: string }[] = [];
  known.set(server.server, routes);
  server.addHook('onRoute', ({ url, method }) => {
    const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:[^/]+/g, '[^/]+');
    if (url.includes('*')) return;
    const pattern = new RegExp(`^${escaped}/?$`);
    for (const one of [method].flat()) routes.push({ pattern, method: one });
  });
}

/** The methods of a path, without its query; none when there is no such path. */
export function allowedMethods(server: FastifyInstance, url: string): string[] {
  const [path = ''] = url.split('?');
  return [...new Set((known.get(server.server) ?? []).flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : [])))].sort();
}
