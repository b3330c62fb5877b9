// Many pings, few reads. Three questions, each with its own part:
//   cost     what a ping costs to be stored and filed, at 1,000 and at 100,000 of them, 100 for each window in both; and how it is at
//            1,000 that each open a window
//   collapse 100,000 pings over 1,000 windows inside one debounce, with a real worker process and a provider over HTTP that counts
//   waiting  a million windows wait: what of it a worker process holds in memory, what claiming and scanning cost, and by which index
import { fileNotices } from '../../../packages/storage/dist/index.js';
import { startContender } from '../contender.mjs';
import { median } from '../median.mjs';
import { cpuSeconds } from './cpu.mjs';
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
      costPerPing100kTo1k: cost.ratio('few', 'cpuMicros'),
      costPerPing100kTo1kOneEach: cost.ratio('oneEach', 'cpuMicros'),
      costPerPing100kTo1kByClock: cost.ratio('few', 'wallMicros'),
      pingsPerFetch: collapse.pings / collapse.fetches,
      claimMillionToNone: waiting.claimMs / waiting.claimAloneMs,
    },
    latency: { claimMs: waiting.claimMs, claimAloneMs: waiting.claimAloneMs, scanMs: waiting.scanMs, scanAloneMs: waiting.scanAloneMs },
    throughput: { pingsPerSecond: 1e6 / cost.of('many', 'wallMicros'), workerPingsPerSecond: collapse.pings / collapse.wallSeconds },
    cpu: {
      microsOfFew: cost.of('few', 'cpuMicros'),
      microsOfOneEach: cost.of('oneEach', 'cpuMicros'),
      microsOfMany: cost.of('many', 'cpuMicros'),
      workerMicrosPerPing: collapse.workerMicrosPerPing,
    },
    memory: { growthMb: waiting.growthMb, rssMb: waiting.rssMb, collapseGrowthMb: collapse.growthMb, seconds: waiting.seconds },
    collapse: {
      pings: collapse.pings,
      windows: WINDOWS,
      fetches: collapse.fetches,
      arrivedSeconds: collapse.arrivedSeconds,
      filedSeconds: collapse.filedSeconds,
      wallSeconds: collapse.wallSeconds,
    },
    waiting: { windows: waiting.windows, insertSeconds: waiting.insertSeconds, fileMicros: waiting.fileMicros },
    plans: waiting.plans,
  };
}

/**
 * Microseconds of a ping from its arrival to its window: both statements, one after the other, no pause between. By the clock, and of CPU
 * (ours and the server's), which is what can be compared on a machine that others use.
 */
async function measureCost(pool, { many, repeats, say }) {
  const run = async (count, windows, times) => {
    let [wall, cpu] = [0, 0];
    for (let n = 0; n < times; n += 1) {
      await emptyWindows(pool);
      const made = pings(count, windows);
      const [before, begin] = [await cpuSeconds(pool), performance.now()];
      await arrive(pool, made);
      let filed = 0;
      for (let taken = SLICE; taken === SLICE; filed += taken) ({ taken } = await fileNotices(pool, scope, SLICE));
      wall += performance.now() - begin;
      cpu += (await cpuSeconds(pool)) - before;
      if (filed !== count) throw new Error(`${count} pings came and ${filed} were filed`);
      const { rows } = await pool.query('select count(*)::int as windows, sum(notices)::int as notices from fetch_window');
      if (rows[0].windows !== windows || rows[0].notices !== count) throw new Error(`filed as ${JSON.stringify(rows[0])}`);
    }
    const wallMicros = (wall * 1e3) / (count * times);
    return { wallMicros, cpuMicros: Number.isNaN(cpu) ? wallMicros : (cpu * 1e6) / (count * times) };
  };
  await run(2_000, 20, 2);
  const rounds = [];
  // Many short runs before and after each long one: what else the machine does meets both alike.
  for (let round = 0; round < repeats; round += 1) {
    const sizes = { few: [1_000, WINDOWS / 100, 20], oneEach: [1_000, WINDOWS, 10] };
    const [fewBefore, oneBefore] = [await run(...sizes.few), await run(...sizes.oneEach)];
    const whole = await run(many, WINDOWS, 1);
    const [fewAfter, oneAfter] = [await run(...sizes.few), await run(...sizes.oneEach)];
    rounds.push({ few: mean(fewBefore, fewAfter), oneEach: mean(oneBefore, oneAfter), many: whole });
    const { few } = rounds.at(-1);
    say(
      `cost  a ping of 1,000: ${few.cpuMicros.toFixed(0)} µs of CPU, ${few.wallMicros.toFixed(0)} on the clock; ` +
        `of ${many}: ${whole.cpuMicros.toFixed(0)} and ${whole.wallMicros.toFixed(0)}`,
    );
  }
  const ratio = (other, figure) => median(rounds.map((one) => one.many[figure] / one[other][figure]));
  return { rounds, ratio, of: (size, figure) => median(rounds.map((one) => one[size][figure])) };
}

function mean(a, b) {
  return { wallMicros: (a.wallMicros + b.wallMicros) / 2, cpuMicros: (a.cpuMicros + b.cpuMicros) / 2 };
}

async function measureCollapse(pool, { provider, worker, count, say }) {
  await emptyWindows(pool);
  const made = pings(count, WINDOWS);
  provider.calls.count = 0;
  const [memory, cpu, begin] = [await worker.memoryMb(), await worker.cpuSeconds(), performance.now()];
  await arrive(pool, made);
  const arrivedSeconds = (performance.now() - begin) / 1000;
  if (arrivedSeconds * 1000 > DEBOUNCE.maxWaitMs - DEBOUNCE.debounceMs) throw new Error(`the pings took ${arrivedSeconds} s to arrive`);
  let filedSeconds;
  for (;;) {
    const { rows } = await pool.query(`
      select (select count(*) from webhook_notice where status in ('received', 'windowed'))::int as open,
        exists (select 1 from webhook_notice where status = 'received') as unfiled,
        (select count(*) from fetch_window where state <> 'settled')::int as waiting, (select count(*) from fetch_window)::int as windows`);
    if (!rows[0].unfiled) filedSeconds ??= (performance.now() - begin) / 1000;
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
    `collapse  ${count} pings in ${arrivedSeconds.toFixed(1)} s → ${provider.calls.count} fetches, filed after ${filedSeconds.toFixed(1)} s, settled after ${wallSeconds.toFixed(1)} s`,
  );
  return {
    pings: count,
    fetches: provider.calls.count,
    arrivedSeconds,
    filedSeconds,
    wallSeconds,
    workerMicrosPerPing: (((await worker.cpuSeconds()) - cpu) * 1e6) / count,
    growthMb: (await worker.memoryMb()) - memory,
  };
}
