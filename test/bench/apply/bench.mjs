// Versioned replace of windows (30 records each, all changed) with revisions, events and an endpoint that is owed them, against (b) a bare
// multi-row upsert of the same rows in the same batches, and (c) TypeORM's upsert row by row. Same connections, same reads in flight.
// Once in one environment, whose revision counter lets one transaction write at a time, and once spread over several.
import { fork } from 'node:child_process';
import path from 'node:path';
import { median } from '../median.mjs';
import { populate } from './world.mjs';

/** As a worker has them: four lanes of eight windows each, and a pool. */
const IN_FLIGHT = 32;
const CONNECTIONS = 8;
const PEOPLE = 6_000;
const SEVERAL = 4;

export const builds = ['apps/worker', 'migrations', 'packages/embedded-services'];
const quickly = { rounds: 3, windows: 600 };
const fully = { rounds: 7, windows: 3_000 };

const field = [
  { name: 'ours', way: 'ours', tenants: 1 },
  { name: 'oursMany', way: 'ours', tenants: SEVERAL },
  { name: 'fromRecords', way: 'fromRecords', tenants: 1 },
  { name: 'raw', way: 'raw', tenants: 1 },
  { name: 'rawMany', way: 'raw', tenants: SEVERAL },
  { name: 'orm', way: 'orm', tenants: 1, share: 1 / 15 },
];

export async function measure({ url, pool }, { quick, say, stops }) {
  const { rounds, windows } = quick ? quickly : fully;
  const only = process.env.BENCH_ONLY?.split(',');
  const contenders = [];
  for (const one of field.filter(({ name }) => only === undefined || only.includes(name))) {
    await populate(pool, one.name, one.tenants, PEOPLE);
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
      const sample = await one.process.round(Math.ceil(windows * (one.share ?? 1)));
      if (one.way === 'ours' || one.way === 'fromRecords') await wrote(pool, sample);
      one.samples.push(sample);
      say(
        `round ${round}/${rounds}  ${one.name.padEnd(12)} ${Math.round(sample.perSecond)} records/s  p50 ${sample.p50Ms.toFixed(1)} ms  ` +
          `p99 ${sample.p99Ms.toFixed(1)} ms  ${sample.cpuMicros.toFixed(1)} µs of our CPU for a record`,
      );
    }
  }
  return summarise(Object.fromEntries(contenders.map(({ name, samples }) => [name, samples])), rounds);
}

/** What is said to be written is looked for: a change is an event and a delivery, and no more. */
async function wrote(pool, { records }) {
  const { rows } = await pool.query(
    'select (select count(*)::int from event) as events, (select count(*)::int from event_delivery) as owed',
  );
  const { events, owed } = rows[0];
  if (Number(events) !== records || Number(owed) !== records) {
    throw new Error(`${records} records changed, and there are ${events} events and ${owed} deliveries`);
  }
}

function summarise(samples, rounds) {
  const over = (one, other) =>
    samples[one] && samples[other]
      ? median(samples[one].map(({ perSecond }, round) => perSecond / samples[other][round].perSecond))
      : Number.NaN;
  const of = (figure) => Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all.map((one) => one[figure]))]));
  return {
    rounds,
    ratios: {
      vsRawUpsert: over('ours', 'raw'),
      vsOrmUpsert: over('ours', 'orm'),
      vsRawUpsertManyTenants: over('oursMany', 'rawMany'),
      fromRecordsVsRawUpsert: over('fromRecords', 'raw'),
    },
    recordsPerSecond: of('perSecond'),
    latencyP50Ms: of('p50Ms'),
    latencyP99Ms: of('p99Ms'),
    cpuMicrosPerRecord: of('cpuMicros'),
    memoryRssMb: of('rssMb'),
  };
}

function start({ name, way, tenants }, url, stops) {
  const settings = { name, way, url, tenants, people: PEOPLE, inFlight: IN_FLIGHT, connections: CONNECTIONS };
  const child = fork(path.join(import.meta.dirname, 'contender.mjs'), [JSON.stringify(settings)], {
    execArgv: process.env.BENCH_PROFILE === name ? ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] : [],
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
