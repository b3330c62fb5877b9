// Many pings, few reads. Three questions, each with its own part:
//   cost     what a ping costs to be stored and filed, at 1,000 and at 100,000 of them, 100 for each window in both; and how it is at
//            1,000 that each open a window
//   collapse 100,000 pings over 1,000 windows inside one debounce, with a real worker process and a provider over HTTP that counts
//   waiting  a million windows wait: what of it a worker process holds in memory, what claiming and scanning cost, and by which index
import { fileNotices } from '../../../packages/storage/dist/index.js';
import { startContender } from '../contender.mjs';
import { median } from '../median.mjs';
import { startProvider } from './provider.mjs';
import { measureWaiting } from './waiting.mjs';
import { arrive, emptyWindows, pings, scope, seedWorld } from './world.mjs';

export const builds = ['apps/worker', 'migrations', 'packages/embedded-services'];

const WINDOWS = 1_000;
const DEBOUNCE = { debounceMs: 5_000, maxWaitMs: 60_000 };
/** Notices that one ticket of the worker files. */
const SLICE = 2_000;

export async function measure({ url, pool }, { quick, say, stops }) {
  const { keys } = await seedWorld(pool, { people: WINDOWS, ...DEBOUNCE });
  const cost = await measureCost(pool, { many: quick ? 20_000 : 100_000, repeats: quick ? 1 : 3, say });
  const provider = await startProvider();
  stops.push(provider.stop);
  const worker = await startContender('apps/worker/dist/main.js', {
    DATABASE_URL: url,
    REDIS_URL: process.env.REDIS_URL ?? '',
    TRIBUTARY_KEYS: keys,
    TRIBUTARY_SANDBOX_URL: provider.url,
    WORKER_PORT: '0',
    LOG_LEVEL: 'info',
  });
  stops.push(worker.stop);
  const collapse = await measureCollapse(pool, { provider, worker, count: quick ? 20_000 : 100_000, say });
  const waiting = await measureWaiting(pool, { worker, count: quick ? 100_000 : 1_000_000, seconds: quick ? 5 : 30, say });
  return {
    ratios: {
      fetchesPerWindow: collapse.fetches / WINDOWS,
      costPerPing100kTo1k: cost.manyToFew,
      costPerPing100kTo1kOneEach: cost.manyToOneEach,
      pingsPerFetch: collapse.pings / collapse.fetches,
      claimMillionToNone: waiting.claimMs / waiting.claimAloneMs,
    },
    latency: { claimMs: waiting.claimMs, claimAloneMs: waiting.claimAloneMs, scanMs: waiting.scanMs, scanAloneMs: waiting.scanAloneMs },
    throughput: { pingsPerSecond: 1e6 / cost.micros.many, workerPingsPerSecond: collapse.pings / collapse.wallSeconds },
    cpu: { workerMicrosPerPing: collapse.workerMicrosPerPing },
    cost: { fewMicros: cost.micros.few, oneEachMicros: cost.micros.oneEach, manyMicros: cost.micros.many },
    memory: { growthMb: waiting.growthMb, rssMb: waiting.rssMb, collapseGrowthMb: collapse.growthMb, seconds: waiting.seconds },
    collapse: { pings: collapse.pings, windows: WINDOWS, fetches: collapse.fetches, wallSeconds: collapse.wallSeconds },
    waiting: { windows: waiting.windows, insertSeconds: waiting.insertSeconds, fileMicros: waiting.fileMicros },
    plans: waiting.plans,
  };
}

/** Microseconds of a ping from its arrival to its window: both statements, one after the other, no pause between. */
async function measureCost(pool, { many, repeats, say }) {
  const run = async (count, windows) => {
    await emptyWindows(pool);
    const made = pings(count, windows);
    const begin = performance.now();
    await arrive(pool, made);
    let filed = 0;
    for (let taken = SLICE; taken === SLICE; filed += taken) ({ taken } = await fileNotices(pool, scope, SLICE));
    const micros = ((performance.now() - begin) * 1e3) / count;
    if (filed !== count) throw new Error(`${count} pings came and ${filed} were filed`);
    const { rows } = await pool.query('select count(*)::int as windows, sum(notices)::int as notices from fetch_window');
    if (rows[0].windows !== windows || rows[0].notices !== count) throw new Error(`filed as ${JSON.stringify(rows[0])}`);
    return micros;
  };
  const mean = async (times, windows) => {
    let sum = 0;
    for (let n = 0; n < times; n += 1) sum += await run(1_000, windows);
    return sum / times;
  };
  await run(2_000, 20);
  const rounds = [];
  // Short runs before and after each long one, and their mean: what else the machine does meets both alike.
  for (let round = 0; round < repeats; round += 1) {
    const [before, oneBefore] = [await mean(10, 10), await mean(5, WINDOWS)];
    const manyMicros = await run(many, WINDOWS);
    const [after, oneAfter] = [await mean(10, 10), await mean(5, WINDOWS)];
    rounds.push({ fewMicros: (before + after) / 2, oneEachMicros: (oneBefore + oneAfter) / 2, manyMicros });
    say(`cost  ${Math.round((before + after) / 2)} µs a ping of 1,000, ${Math.round(manyMicros)} µs of ${many}`);
  }
  const of = (figure) => median(rounds.map(figure));
  return {
    micros: { few: of((one) => one.fewMicros), oneEach: of((one) => one.oneEachMicros), many: of((one) => one.manyMicros) },
    manyToFew: of((one) => one.manyMicros / one.fewMicros),
    manyToOneEach: of((one) => one.manyMicros / one.oneEachMicros),
  };
}

async function measureCollapse(pool, { provider, worker, count, say }) {
  await emptyWindows(pool);
  const made = pings(count, WINDOWS);
  provider.calls.count = 0;
  const [memory, cpu, begin] = [await worker.memoryMb(), await worker.cpuSeconds(), performance.now()];
  await arrive(pool, made);
  const arrivedSeconds = (performance.now() - begin) / 1000;
  if (arrivedSeconds * 1000 > DEBOUNCE.maxWaitMs - DEBOUNCE.debounceMs) throw new Error(`the pings took ${arrivedSeconds} s to arrive`);
  for (;;) {
    const { rows } = await pool.query(`
      select (select count(*) from webhook_notice where status in ('received', 'windowed'))::int as open,
        (select count(*) from fetch_window where state <> 'settled')::int as waiting, (select count(*) from fetch_window)::int as windows`);
    if (rows[0].open === 0 && rows[0].waiting === 0 && rows[0].windows === WINDOWS) break;
    if (performance.now() - begin > 300_000) throw new Error(`not settled after five minutes: ${JSON.stringify(rows[0])}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const wallSeconds = (performance.now() - begin) / 1000;
  const { rows } = await pool.query(`
    select sum(fetches)::int as fetches, sum(notices)::int as notices,
      (select count(*) from daily_rollup where metric = 'steps')::int as days from fetch_window`);
  if (rows[0].notices !== count || rows[0].days !== WINDOWS) throw new Error(`settled as ${JSON.stringify(rows[0])}`);
  if (rows[0].fetches !== provider.calls.count) throw new Error(`${provider.calls.count} calls came, ${rows[0].fetches} were counted`);
  say(
    `collapse  ${count} pings in ${arrivedSeconds.toFixed(1)} s → ${provider.calls.count} fetches, settled after ${wallSeconds.toFixed(1)} s`,
  );
  return {
    pings: count,
    fetches: provider.calls.count,
    wallSeconds,
    workerMicrosPerPing: (((await worker.cpuSeconds()) - cpu) * 1e6) / count,
    growthMb: (await worker.memoryMb()) - memory,
  };
}
