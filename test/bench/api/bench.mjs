// Reading 30 days of one metric of one user over HTTP with 32 connections, out of ten million daily values (--quick: one million), against
// (b) the same query through bare pg behind the smallest route there is (bare.mjs). Both processes have a pool of the same size and are
// driven in turn by the same generator. `vsBareQuery` is our p99 over theirs, round by round, then the median; `p50VsBareQuery` likewise.
// Each request asks for another user, metric and month. Then the whole changes feed, streamed by one reader.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { startContender } from '../contender.mjs';
import { drive, requestBytes } from '../load.mjs';
import { median } from '../median.mjs';
import { openWorld, readingPaths } from './world.mjs';

const CONNECTIONS = 32;
const POOL_SIZE = 8;
const root = path.resolve(import.meta.dirname, '../../..');

export const builds = ['apps/api', 'migrations', 'packages/embedded-services'];
const quickly = { rounds: 3, seconds: 4, warmSeconds: 6, rows: 1_000_000, events: 100_000, streams: 3 };
const fully = { rounds: 7, seconds: 8, warmSeconds: 12, rows: 10_000_000, events: 300_000, streams: 5 };

export async function measure({ url, pool }, { quick, say, stops }) {
  const size = quick ? quickly : fully;
  const world = await openWorld(pool, { ...size, say });
  const env = {
    DATABASE_URL: url,
    REDIS_URL: process.env.REDIS_URL ?? '',
    TRIBUTARY_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    API_PORT: '0',
    API_POOL_SIZE: String(POOL_SIZE),
    API_REQUESTS_PER_MINUTE: '100000000',
    LOG_LEVEL: 'info',
  };
  const headers = { authorization: `Bearer ${world.key}` };
  const requests = readingPaths(world, 20_000).map((one) => requestBytes({ path: one, headers }));
  let at = 0;
  const next = () => requests[(at = (at + 1) % requests.length)];
  const contenders = {};
  for (const [name, file] of Object.entries({ ours: 'apps/api/dist/main.js', bare: 'test/bench/api/bare.mjs' })) {
    contenders[name] = await startContender(path.join(root, file), env);
    stops.push(contenders[name].stop);
  }
  await sameAnswer(contenders, world, headers);
  const round = async (name, seconds) => {
    const cpu = await contenders[name].cpuSeconds();
    const sample = await drive({ origin: contenders[name].origin, connections: CONNECTIONS, seconds, next });
    const failed = Object.keys(sample.statuses).filter((status) => status !== '200');
    if (failed.length > 0) throw new Error(`${name} answered ${JSON.stringify(sample.statuses)}`);
    sample.cpuMicros = (((await contenders[name].cpuSeconds()) - cpu) * 1e6) / sample.requests;
    return sample;
  };
  const names = Object.keys(contenders);
  for (const name of names) await round(name, size.warmSeconds);
  const samples = { ours: [], bare: [] };
  for (let n = 1; n <= size.rounds; n += 1) {
    for (let step = 0; step < names.length; step += 1) {
      const name = names[(step + n) % names.length];
      const sample = await round(name, size.seconds);
      samples[name].push(sample);
      say(
        `round ${n}/${size.rounds}  ${name.padEnd(5)} ${Math.round(sample.perSecond)} /s  p50 ${sample.p50Ms.toFixed(2)} ms  p99 ${sample.p99Ms.toFixed(2)} ms  ${Math.round(sample.cpuMicros)} µs of CPU each`,
      );
    }
  }
  const changesPerSecond = await streamed(contenders.ours.origin, headers, world, size.streams);
  say(`changes feed: ${Math.round(changesPerSecond)} /s`);
  const of = (name, figure) => median(samples[name].map((sample) => sample[figure]));
  const ratio = (figure) => median(samples.ours.map((sample, n) => sample[figure] / samples.bare[n][figure]));
  return {
    rounds: size.rounds,
    rows: world.rows,
    connections: CONNECTIONS,
    ratios: { vsBareQuery: ratio('p99Ms'), p50VsBareQuery: ratio('p50Ms'), cpuVsBareQuery: ratio('cpuMicros') },
    cpu: { oursMicrosEach: of('ours', 'cpuMicros'), bareMicrosEach: of('bare', 'cpuMicros') },
    latency: { p50Ms: of('ours', 'p50Ms'), p99Ms: of('ours', 'p99Ms'), bareP50Ms: of('bare', 'p50Ms'), bareP99Ms: of('bare', 'p99Ms') },
    throughput: { oursPerSecond: of('ours', 'perSecond'), barePerSecond: of('bare', 'perSecond'), changesPerSecond },
    memory: { rssMb: await contenders.ours.memoryMb() },
  };
}

/** Before anything is measured: both read the same thirty values. */
async function sameAnswer(contenders, world, headers) {
  const [one] = readingPaths(world, 1);
  const read = async (name) => (await (await fetch(`${contenders[name].origin}${one}`, { headers })).json()).data;
  const [ours, bare] = [await read('ours'), await read('bare')];
  const same = ours?.length === 30 && bare.length === 30 && ours.every((row, n) => row.record.value === bare[n].value);
  if (!same) throw new Error(`The two do not read the same: ${JSON.stringify([ours?.[0] ?? ours, bare[0]])}`);
}

/** @returns changes per second of the median stream; each is read to its end and counted. */
async function streamed(origin, headers, world, streams) {
  const rates = [];
  for (let n = 0; n < streams + 1; n += 1) {
    const started = performance.now();
    const reply = await fetch(`${origin}/v1/changes?format=ndjson`, { headers });
    let lines = 0;
    let cursors = 0;
    let rest = '';
    for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      for (const part of parts) {
        if (part.startsWith('{"cursor"')) cursors += 1;
        else lines += 1;
      }
    }
    if (lines !== world.events || cursors === 0)
      throw new Error(`A stream of ${lines} changes and ${cursors} cursors, out of ${world.events}`);
    rates.push(lines / ((performance.now() - started) / 1000));
  }
  // The first one warms up.
  return median(rates.slice(1));
}
