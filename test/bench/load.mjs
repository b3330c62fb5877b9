// A closed loop of HTTP requests: each connection sends its next request when the answer to the last one has come whole. Sockets and
// bytes, no HTTP client: the generator shares its cores with what it measures, so it should cost next to nothing.
import { connect } from 'node:net';

/** The bytes of one request, to be made before the clock starts; without a body it is a GET. */
export function requestBytes({ path, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body === undefined) return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}\r\n`, 'latin1');
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`, 'latin1'),
    body,
  ]);
}

/**
 * @param next gives the bytes of one request; called for every request, so it should only hand out what was made before.
 * @returns requests per second, latency percentiles in milliseconds, and answers by status.
 */
export async function drive({ origin, connections, seconds, next }) {
  const { hostname, port } = new URL(origin);
  const latencies = [];
  const statuses = {};
  let until = Infinity;
  let started = 0;
  const opened = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  started = performance.now();
  until = started + seconds * 1000;
  await Promise.all(
    opened.map(
      (line) =>
        new Promise((resolve, reject) => {
          let begin = 0;
          const send = () => {
            begin = performance.now();
            if (begin >= until) resolve();
            else line.socket.write(next());
          };
          line.onAnswer = (status) => {
            latencies.push(performance.now() - begin);
            statuses[status] = (statuses[status] ?? 0) + 1;
            send();
          };
          line.onFailure = (error) => {
            until = 0;
            reject(error);
          };
          send();
        }),
    ),
  ).finally(() => {
    for (const { socket } of opened) socket.destroy();
  });
  const tookSeconds = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { requests: sorted.length, perSecond: sorted.length / tookSeconds, p50Ms: at(0.5), p99Ms: at(0.99), statuses };
}

/** One connection that is kept, with the little of HTTP/1.1 that our own servers answer with. */
function open(host, port) {
  return new Promise((resolve, reject) => {
    const line = { socket: undefined, onAnswer: undefined, onFailure: reject };
    let pending = '';
    const take = (length, buffer) => {
      const text = pending + buffer.latin1Slice(0, length);
      pending = '';
      const head = text.indexOf('\r\n\r\n');
      const announced = head < 0 ? undefined : /\r\ncontent-length: (\d+)/i.exec(text);
      if (head >= 0 && announced === null && !text.startsWith('204', 9)) line.onFailure(new Error(`an answer of unknown length: ${text}`));
      else if (head < 0 || text.length < head + 4 + Number(announced?.[1] ?? 0)) pending = text;
      else line.onAnswer(text.slice(9, 12));
      return true;
    };
    line.socket = connect({ host, port, noDelay: true, onread: { buffer: Buffer.allocUnsafe(16_384), callback: take } });
    line.socket.once('connect', () => resolve(line));
    line.socket.on('error', (error) => line.onFailure(error));
    line.socket.on('close', () => line.onFailure(new Error('the server closed a connection')));
  });
}
