import type { FastifyInstance } from 'fastify';

/** No form of ours has more than a word in it. */
const MOST_BYTES = 4_096;

/** Forms are read on the hosted page alone; elsewhere they stay what they are, a body of an unsupported type. */
export function parseForms(server: FastifyInstance): void {
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: MOST_BYTES }, (request, body, done) => {
    if (request.routeOptions.url?.startsWith('/connect/page') === true) return done(null, new URLSearchParams(body as string));
    done(Object.assign(new Error('Forms are read on the hosted page alone'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }));
  });
}
