// The customer's server, in a process of its own: bytes and sockets, no HTTP library, so that it costs next to nothing beside what is
// measured. By path: `/hang` never answers, `/500` fails, `/drip` answers without end, `/slow` takes its time, all else is answered 204.
// Of each request it notes when its first byte came, and the commit time that stands in its body.
import { createServer } from 'node:net';

const NO_CONTENT = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const FAILED = Buffer.from('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
const DRIPPING = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
const SLOW_MS = 20;

/** By the first part of the path: when requests came and how long they had been committed, in milliseconds. */
let seen = new Map();

function note(path, committedAt, firstByteAt) {
  let one = seen.get(path);
  if (one === undefined) seen.set(path, (one = { count: 0, firstAt: firstByteAt, lastAt: firstByteAt, latencies: [] }));
  one.count += 1;
  one.lastAt = firstByteAt;
  if (committedAt !== undefined) one.latencies.push(firstByteAt - committedAt);
}

function answer(path, socket) {
  if (path === 'hang') return;
  if (path === '500') socket.write(FAILED);
  else if (path === 'slow') setTimeout(() => socket.write(NO_CONTENT), SLOW_MS);
  else if (path === 'drip') {
    socket.write(DRIPPING);
    const drip = setInterval(() => socket.write('1\r\n.\r\n'), 100);
    socket.once('close', () => clearInterval(drip));
  } else socket.write(NO_CONTENT);
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = '';
  let since = 0;
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    if (pending === '') since = performance.timeOrigin + performance.now();
    pending += bytes.latin1Slice();
    for (;;) {
      const head = pending.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(pending.slice(0, head))?.[1] ?? 0);
      if (pending.length < head + 4 + length) return;
      const path = /^POST \/([\w-]*)/.exec(pending)?.[1] ?? '';
      const committed = /"committedAt":([\d.]+)/.exec(pending.slice(head))?.[1];
      pending = pending.slice(head + 4 + length);
      note(path, committed === undefined ? undefined : Number(committed), since);
      answer(path, socket);
    }
  });
});

process.on('message', (message) => {
  if (message.do === 'stop') process.exit(0);
  if (message.do === 'clear') seen = new Map();
  if (message.do === 'report' || message.do === 'clear') process.send(Object.fromEntries(seen));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
