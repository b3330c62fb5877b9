// npm run bench -- NAME [--quick] [--json] [--soak]: one process for each contender, rounds in turn, medians; or, where a benchmark compares
// sizes and not contenders, what its own `measure` says.
// The last line is one JSON object: name, ratios, latency, throughput, memory, machine. Ratios are made in each round from
// neighbours in time and then reduced to their median: compare those, and not figures of different runs.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { openDatabase } from './database.mjs';
import { machine } from './machine.mjs';
import { median } from './median.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const benches = {
  ingest: () => import('./ingest/bench.mjs'),
  debounce: () => import('./debounce/bench.mjs'),
  apply: () => import('./apply/bench.mjs'),
  outbound: () => import('./outbound/bench.mjs'),
  sdk: () => import('./sdk/bench.mjs'),
  api: () => import('./api/bench.mjs'),
};

const args = process.argv.slice(2);
const name = args.find((arg) => !arg.startsWith('--'));
const quick = args.includes('--quick');
const asJson = args.includes('--json');
/** Five minutes of full load for the look at the memory. */
const soakLong = args.includes('--soak');
const say = (line) => (asJson ? process.stderr : process.stdout).write(`${line}\n`);

const strange = args.filter((arg) => arg.startsWith('--') && !['--quick', '--json', '--soak'].includes(arg));
if (name === undefined || !Object.hasOwn(benches, name) || strange.length > 0) {
  console.error(`Usage: npm run bench -- NAME [--quick] [--json] [--soak]. Benchmarks: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}

const bench = await benches[name]();
const built = spawnSync(process.execPath, [path.join(root, 'node_modules/@typescript/native/bin/tsc'), '-b', ...bench.builds], {
  cwd: root,
  encoding: 'utf8',
});
if (built.status !== 0) {
  console.error(`What the benchmark measures does not build:\n${built.stdout}${built.stderr}`);
  process.exit(1);
}

const stops = [];
let failure;
try {
  const database = await openDatabase(root);
  stops.push(database.close);
  const figures = bench.measure ? await bench.measure(database, { quick, say, stops }) : await compare(database);
  const parts = Object.entries(figures).map(([part, values]) => [part, typeof values === 'object' ? rounded(values) : values]);
  const result = { name, quick, ...Object.fromEntries(parts), machine: machine() };
  for (const [ratio, value] of Object.entries(result.ratios))
    if (value !== undefined) say(`${ratio}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  console.log(JSON.stringify(result));
} catch (error) {
  failure = error;
} finally {
  for (const stop of stops.reverse()) await stop().catch((error) => say(`while stopping: ${error.message}`));
}
if (failure) {
  console.error(`The benchmark failed: ${failure.stack}`);
  process.exit(1);
}

/** Contenders in turn, round by round. */
async function compare(database) {
  const { rounds, seconds, warmSeconds, soakSeconds } = quick ? bench.quick : bench.full;
  const world = await bench.prepare(database);
  const contenders = [];
  for (const contender of bench.contenders) {
    const running = await contender.start(world);
    stops.push(running.stop);
    contenders.push({ name: contender.name, running, samples: [] });
    await running.round(warmSeconds);
  }
  for (let round = 1; round <= rounds; round += 1) {
    // Turned round by round, so that no contender always comes after the same neighbour.
    for (let step = 0; step < contenders.length; step += 1) {
      const contender = contenders[(step + round) % contenders.length];
      const sample = await contender.running.round(seconds);
      contender.samples.push(sample);
      say(
        `round ${round}/${rounds}  ${contender.name.padEnd(16)} ${Math.round(sample.perSecond)} /s  ` +
          `p50 ${sample.p50Ms.toFixed(2)} ms  p99 ${sample.p99Ms.toFixed(2)} ms`,
      );
    }
  }
  const memory = await soak(contenders.find((one) => one.name === bench.soaked).running, seconds, soakLong ? 300 : soakSeconds);
  const samples = Object.fromEntries(contenders.map((contender) => [contender.name, contender.samples]));
  const { ratios, latency, cpu } = bench.summarise(samples, median);
  const throughput = Object.fromEntries(
    Object.entries(samples).map(([who, all]) => [`${who}PerSecond`, median(all.map((sample) => sample.perSecond))]),
  );
  return { rounds, ratios, latency, throughput, cpu, memory };
}

/**
 * Full load after a round of warming up. A collector gives back what it took in waves, so two looks say little: growth is
 * between the median of the first third of all looks and that of the last.
 */
async function soak(running, warmSeconds, soakSeconds) {
  await running.round(warmSeconds);
  const looks = [];
  const looking = setInterval(() => void running.memoryMb().then((mb) => looks.push(mb)), 1_000);
  const seconds = soakSeconds || 3 * warmSeconds;
  try {
    // What is sent is signed before a round begins, and five minutes later it would be too old.
    for (let left = seconds; left > 0; left -= 60) await running.round(Math.min(left, 60));
  } finally {
    clearInterval(looking);
  }
  const third = Math.floor(looks.length / 3);
  const [first, last] = [median(looks.slice(0, third)), median(looks.slice(-third))];
  return { growthMb: last - first, rssMb: last, seconds };
}

function rounded(figures) {
  return Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toPrecision(4)) : value]),
  );
}
