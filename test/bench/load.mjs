// A closed loop of HTTP requests: each connection sends its next request when the answer to the last one has come whole.
import { Pool } from 'undici';

/**
 * @param next makes one request `{ path, headers, body }`; called for every request, so it should only hand out what was made before.
 * @returns requests per second, latency percentiles in milliseconds, and answers by status.
 */
export async function drive({ origin, connections, seconds, next }) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const latencies = [];
  const statuses = {};
  let failure;
  const started = performance.now();
  const until = started + seconds * 1000;
  await new Promise((resolve) => {
    let open = connections;
    const loop = () => {
      const begin = performance.now();
      if (begin >= until || failure) {
        open -= 1;
        if (open === 0) resolve();
        return;
      }
      const { path, headers, body } = next();
      let status = 0;
      pool.dispatch(
        { method: 'POST', path, headers, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, code) {
            status = code;
          },
          onResponseData() {},
          onResponseEnd() {
            latencies.push(performance.now() - begin);
            statuses[status] = (statuses[status] ?? 0) + 1;
            loop();
          },
          onResponseError(_controller, error) {
            failure ??= error;
            loop();
          },
        },
      );
    };
    for (let n = 0; n < connections; n += 1) loop();
  });
  const tookSeconds = (performance.now() - started) / 1000;
  await pool.close();
  if (failure) throw failure;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { perSecond: sorted.length / tookSeconds, p50Ms: at(0.5), p99Ms: at(0.99), statuses };
}
