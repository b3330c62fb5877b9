// Serves from Node what a runtime with fetch handlers would: `export default { fetch }`, or `export const POST`.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const module = await import(pathToFileURL(process.argv[2]).href);
const answer = module.default ? (request) => module.default.fetch(request) : (request) => module.POST(request);

const server = createServer(async (incoming, outgoing) => {
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  const response = await answer(
    new Request(new URL(incoming.url, 'http://localhost'), {
      method: incoming.method,
      headers: incoming.headers,
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(Buffer.from(await response.arrayBuffer()));
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`listening on ${server.address().port}`));
