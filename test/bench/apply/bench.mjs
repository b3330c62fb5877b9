// Versioned replace of windows (30 records each, all changed) with revisions and events, against (b) a bare multi-row upsert of the same
// rows in the same batches, and (c) TypeORM's upsert row by row. Same connections, same reads in flight. Spread over several tenants, as a
// hosted product meets them (`vsRawUpsert`); in one environment alone, whose revision counter lets one transaction write at a time
// (`vsRawUpsertOneEnvironment`); and there with an endpoint that is owed every event.
// Where others use the machine, wall time favours whoever has more processes to run: what a record costs the processors is told beside it.
import { fork } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { median } from '../median.mjs';
import { populate } from './world.mjs';

/** As a worker has them: four lanes of sixteen windows each, and a pool. */
const IN_FLIGHT = 64;
const CONNECTIONS = 8;
const PEOPLE = 6_000;
const SEVERAL = 4;

export const builds = ['apps/worker', 'migrations', 'packages/embedded-services'];
const quickly = { rounds: 3, windows: 600 };
const fully = { rounds: 7, windows: 3_000 };

const field = [
  { name: 'ours', way: 'ours', tenants: 1 },
  { name: 'oursMany', way: 'ours', tenants: SEVERAL },
  { name: 'oursOwing', way: 'ours', tenants: 1, endpoints: 1 },
  { name: 'fromRecords', way: 'fromRecords', tenants: 1 },
  { name: 'raw', way: 'raw', tenants: 1 },
  { name: 'rawMany', way: 'raw', tenants: SEVERAL },
  { name: 'orm', way: 'orm', tenants: 1, share: 1 / 15 },
];

export async function measure({ url, pool }, { quick, say, stops }) {
  const { rounds, windows } = quick ? quickly : fully;
  const serverCpu = await serverClock(pool);
  const only = process.env.BENCH_ONLY?.split(',');
  const contenders = [];
  for (const one of field.filter(({ name }) => only === undefined || only.includes(name))) {
    await populate(pool, one, PEOPLE);
    contenders.push({ ...one, process: await start(one, url, stops), samples: [] });
  }
  await pool.query('vacuum analyze');
  // The first time around everything is new: the rows are there afterwards.
  for (const one of contenders) {
    const { perSecond, cpuMicros } = await one.process.round(Math.ceil(PEOPLE * (one.share ? one.share * 4 : 1)));
    say(`first time  ${one.name.padEnd(12)} ${Math.round(perSecond)} records/s  ${cpuMicros.toFixed(1)} µs`);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (let step = 0; step < contenders.length; step += 1) {
      const one = contenders[(step + round) % contenders.length];
      await pool.query('truncate event, event_delivery');
      await pool.query('vacuum daily_rollup, fetch_window, revision_counter');
      const cpuBefore = await serverCpu();
      const sample = await one.process.round(Math.ceil(windows * (one.share ?? 1)));
      sample.serverMicros = ((await serverCpu()) - cpuBefore) / sample.records;
      sample.allMicros = sample.serverMicros + sample.cpuMicros;
      if (one.way === 'ours' || one.way === 'fromRecords') await wrote(pool, sample, one.endpoints ?? 0);
      one.samples.push(sample);
      say(
        `round ${round}/${rounds}  ${one.name.padEnd(12)} ${Math.round(sample.perSecond)} records/s  p50 ${sample.p50Ms.toFixed(1)} ms  ` +
          `p99 ${sample.p99Ms.toFixed(1)} ms  ${sample.cpuMicros.toFixed(1)} + ${sample.serverMicros.toFixed(1)} µs of CPU for a record`,
      );
    }
  }
  return summarise(Object.fromEntries(contenders.map(({ name, samples }) => [name, samples])), rounds);
}

/** What is said to be written is looked for: a change is an event, and a delivery to each endpoint, and no more. */
async function wrote(pool, { records }, endpoints) {
  const { rows } = await pool.query(
    'select (select count(*)::int from event) as events, (select count(*)::int from event_delivery) as owed',
  );
  const { events, owed } = rows[0];
  if (Number(events) !== records || Number(owed) !== records * endpoints) {
    throw new Error(`${records} records changed, and there are ${events} events and ${owed} deliveries`);
  }
}

function summarise(samples, rounds) {
  const over = (one, other, figure = 'perSecond') =>
    samples[one] && samples[other]
      ? median(samples[one].map((sample, round) => sample[figure] / samples[other][round][figure]))
      : Number.NaN;
  const of = (figure) => Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all.map((one) => one[figure]))]));
  return {
    rounds,
    ratios: {
      vsRawUpsert: over('oursMany', 'rawMany'),
      vsOrmUpsert: over('ours', 'orm'),
      vsRawUpsertOneEnvironment: over('ours', 'raw'),
      owingVsRawUpsert: over('oursOwing', 'raw'),
      fromRecordsVsRawUpsert: over('fromRecords', 'raw'),
      cpuVsRawUpsert: 1 / over('ours', 'raw', 'allMicros'),
      owingCpuVsRawUpsert: 1 / over('oursOwing', 'raw', 'allMicros'),
    },
    recordsPerSecond: of('perSecond'),
    latencyP50Ms: of('p50Ms'),
    latencyP99Ms: of('p99Ms'),
    cpuMicrosPerRecord: of('cpuMicros'),
    serverCpuMicrosPerRecord: of('serverMicros'),
    memoryRssMb: of('rssMb'),
  };
}

/** Reads what all processes of the database have used of the processors, in microseconds; not a number where there is no /proc. */
async function serverClock(pool) {
  const stat = (pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), micros: (Number(fields[11]) + Number(fields[12])) * 10_000 };
  };
  try {
    const { rows } = await pool.query('select pg_backend_pid() as pid');
    const { parent } = stat(rows[0].pid);
    // Those that ended keep what they had used when they were last seen.
    const used = new Map();
    return async () => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          const one = stat(pid);
          if (one.parent === parent) used.set(pid, one.micros);
        } catch {
          // It ended meanwhile.
        }
      }
      return [...used.values()].reduce((sum, micros) => sum + micros, 0);
    };
  } catch {
    return async () => Number.NaN;
  }
}

function start({ name, way, tenants }, url, stops) {
  const settings = { name, way, url, tenants, people: PEOPLE, inFlight: IN_FLIGHT, connections: CONNECTIONS };
  const child = fork(path.join(import.meta.dirname, 'contender.mjs'), [JSON.stringify(settings)], {
    execArgv: process.env.BENCH_PROFILE === name ? ['--cpu-prof', '--cpu-prof-dir=.tributary'] : [],
  });
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${name} ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        if (message.error) reject(new Error(message.error));
        else resolve(message.sample);
      });
    });
  const ready = answer();
  stops.push(async () => {
    if (child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.send({ do: 'stop' });
    await gone;
  });
  const running = {
    round(windows) {
      const told = answer();
      child.send({ do: 'round', windows });
      return told;
    },
  };
  return ready.then(() => running);
}
