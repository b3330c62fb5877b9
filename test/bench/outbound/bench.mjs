// Deliveries of one outbound process as it is, against (b) bare undici POSTs with native HMAC and (c) one BullMQ job for each delivery with
// a row update each, in turn. Then how long an event waits at half of our rate, what bad neighbours cost a quiet tenant, and the memory
// with a great many deliveries pending.
import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { openTicketBackend, issueTickets } from '../../../packages/tickets/dist/index.js';
import { deliverQueue, deliverTicket } from '../../../packages/handoffs/dist/index.js';
import { startRedis } from '../../../packages/embedded-services/dist/index.js';
import { startContender } from '../contender.mjs';
import { median } from '../median.mjs';
import { addEndpoint, isAllDelivered, openWorld, owe, pending } from './world.mjs';

/** Each of another tenant. One process sends 16 requests to each at once; the others have as many in flight as all of these together. */
const ENDPOINTS = 8;
const IN_FLIGHT = 128;
/** A paced writer commits so often. */
const TICK_MS = 20;
const QUIET_PER_SECOND = 50;

export const builds = ['apps/outbound', 'migrations', 'packages/embedded-services', 'packages/tickets', 'packages/handoffs'];
const quickly = { rounds: 3, events: 6_000, jobs: 1_500, pacedS: 5, quietS: 8, backlog: 20_000, pendingEvents: 100_000, soakS: 5 };
const fully = { rounds: 7, events: 20_000, jobs: 4_000, pacedS: 15, quietS: 20, backlog: 100_000, pendingEvents: 1_000_000, soakS: 60 };

export async function measure({ url, pool }, { quick, say, stops }) {
  const size = quick ? quickly : fully;
  const root = path.resolve(import.meta.dirname, '../../..');
  const redis = process.env.REDIS_URL ? undefined : await startRedis({ dir: path.join(root, '.tributary', 'bench') });
  if (redis) stops.push(() => redis.stop());
  const redisUrl = process.env.REDIS_URL || redis?.url;
  if (!redisUrl) throw new Error('There is no redis-server on the PATH; set REDIS_URL');
  const sink = await startSink(stops);
  const world = openWorld(pool);
  const endpoints = [];
  for (let n = 0; n < ENDPOINTS; n += 1) endpoints.push(await addEndpoint(world, `rate${n}`, `${sink.origin}/rate${n}`));
  const tickets = await openTickets(redisUrl, url, stops);
  const ours = await startOurs({ url, redisUrl, keys: world.keys }, stops);
  const at = { world, sink, endpoints, tickets, ours, size, say };

  const contenders = {
    bare: await startFork('bare.mjs', { origin: sink.origin, inFlight: IN_FLIGHT }, stops),
    jobs: await startFork('job-per-delivery.mjs', { origin: sink.origin, inFlight: IN_FLIGHT, redisUrl, databaseUrl: url }, stops),
  };
  const ways = {
    ours: (share) => deliverAll(at, Math.ceil(size.events * share)),
    bare: (share) => contenders.bare.round(Math.ceil(size.events * share)),
    jobs: (share) => contenders.jobs.round(Math.ceil(size.jobs * share)),
  };
  for (const way of Object.values(ways)) await way(0.3);
  const names = Object.keys(ways);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 1; round <= size.rounds; round += 1) {
    for (let step = 0; step < names.length; step += 1) {
      const name = names[(step + round) % names.length];
      const sample = await ways[name](1);
      samples[name].push(sample.perSecond);
      say(`round ${round}/${size.rounds}  ${name.padEnd(5)} ${Math.round(sample.perSecond)} /s${sample.cpu ? `  ${sample.cpu}` : ''}`);
    }
  }
  const ratio = (other) => median(samples.ours.map((rate, round) => rate / samples[other][round]));
  const rate = median(samples.ours);
  const latency = await paced(at, rate / 2);
  const quiet = await neighbours(at);
  const memory = await manyPending(at);
  return {
    rounds: size.rounds,
    ratios: { vsBareClient: ratio('bare'), vsJobPerDelivery: ratio('jobs'), quietTenantP99: quiet.ratio },
    latency: { commitToFirstByteP50Ms: latency.p50, commitToFirstByteP99Ms: latency.p99, atPerSecond: latency.perSecond },
    quietTenant: { aloneP99Ms: quiet.alone, besideP99Ms: quiet.beside, aloneP50Ms: quiet.aloneP50, besideP50Ms: quiet.besideP50 },
    throughput: Object.fromEntries(names.map((name) => [`${name}PerSecond`, median(samples[name])])),
    memory,
  };
}

/** From the first byte at the sink until the last row is on record as delivered. */
async function deliverAll({ world, sink, endpoints, tickets, ours }, events) {
  await sink.clear();
  const tenants = endpoints.map(({ tenantId }) => tenantId);
  const each = Math.ceil(events / endpoints.length);
  // Due at one moment, when all of them stand: the clock does not measure our writing of them.
  for (const one of endpoints) await owe(world, one, each, 3_600);
  await world.pool.query('analyze event_delivery, event');
  const cpuBefore = await ours.cpuSeconds();
  await world.pool.query(`update event_delivery set next_attempt_at = now() where tenant_id = any($1) and state = 'pending'`, [tenants]);
  await tickets.issue(endpoints);
  const total = each * endpoints.length;
  // The sink is asked first: it costs the database nothing.
  await until(async () => (await arrivedAt(sink, endpoints)) >= total, 300_000);
  await until(() => isAllDelivered(world, tenants), 300_000);
  const ended = performance.timeOrigin + performance.now();
  const cpuMicros = (((await ours.cpuSeconds()) - cpuBefore) / events) * 1e6;
  const report = await sink.report();
  const arrived = endpoints.map(({ name }) => report[name]);
  const count = arrived.reduce((sum, one) => sum + (one?.count ?? 0), 0);
  const first = Math.min(...arrived.map((one) => one.firstAt));
  return { perSecond: (count / (ended - first)) * 1_000, cpu: `${cpuMicros.toFixed(0)} µs of our CPU each` };
}

async function arrivedAt(sink, endpoints) {
  const report = await sink.report();
  return endpoints.reduce((sum, { name }) => sum + (report[name]?.count ?? 0), 0);
}

/** Commits at a steady rate, with a ticket behind each commit as the worker issues it; how long until the first byte arrived. */
async function paced({ world, sink, endpoints, tickets, size, say }, perSecond) {
  const load = async (seconds) => {
    const end = performance.now() + seconds * 1_000;
    let owed = 0;
    for (let tick = 0; performance.now() < end; tick += 1) {
      const due = performance.now();
      owed += (perSecond * TICK_MS) / 1_000;
      const endpoint = endpoints[tick % endpoints.length];
      if (owed >= 1) await owe(world, endpoint, Math.floor(owed));
      owed -= Math.floor(owed);
      void tickets.issue([endpoint]);
      await wait(Math.max(0, due + TICK_MS - performance.now()));
    }
  };
  await load(2);
  await sink.clear();
  await load(size.pacedS);
  await until(
    () =>
      isAllDelivered(
        world,
        endpoints.map(({ tenantId }) => tenantId),
      ),
    60_000,
  );
  const report = await sink.report();
  const all = endpoints.flatMap(({ name }) => report[name]?.latencies ?? []);
  const result = { p50: percentile(all, 0.5), p99: percentile(all, 0.99), perSecond: all.length / size.pacedS };
  say(`paced  ${Math.round(result.perSecond)} /s  p50 ${result.p50.toFixed(1)} ms  p99 ${result.p99.toFixed(1)} ms`);
  return result;
}

/** A tenant of a few events a second: alone, and beside one that hangs, one that fails, one that drips and one with a backlog. */
async function neighbours({ world, sink, tickets, size, say }) {
  const quiet = await addEndpoint(world, 'quiet', `${sink.origin}/quiet`);
  const once = async () => {
    await sink.clear();
    const end = performance.now() + size.quietS * 1_000;
    while (performance.now() < end) {
      await owe(world, quiet, 1);
      void tickets.issue([quiet]);
      await wait(1_000 / QUIET_PER_SECOND);
    }
    await until(() => isAllDelivered(world, [quiet.tenantId]), 60_000);
    return (await sink.report()).quiet.latencies;
  };
  await once();
  const alone = await once();
  const bad = [];
  for (const kind of ['hang', '500', 'drip']) bad.push(await addEndpoint(world, `bad-${kind}`, `${sink.origin}/${kind}`));
  const backlogged = await addEndpoint(world, 'backlogged', `${sink.origin}/slow`);
  for (const one of bad) await owe(world, one, 2_000);
  await owe(world, backlogged, size.backlog);
  await tickets.issue([...bad, backlogged]);
  await wait(1_000);
  const beside = await once();
  const left = await pending(world, backlogged);
  if (left === 0) say('the backlog was worked off before the end: its part in this is less than it should be');
  await world.pool.query(`update endpoint set status = 'disabled' where id = any($1)`, [[...bad, backlogged].map((one) => one.endpointId)]);
  const result = {
    alone: percentile(alone, 0.99),
    beside: percentile(beside, 0.99),
    aloneP50: percentile(alone, 0.5),
    besideP50: percentile(beside, 0.5),
  };
  say(`quiet tenant  p99 ${result.alone.toFixed(1)} ms alone, ${result.beside.toFixed(1)} ms beside bad neighbours`);
  return { ...result, ratio: result.beside / result.alone };
}

/** Full load with a great many pending: what the second part adds to the memory is growth and no warming up. */
async function manyPending({ world, sink, endpoints, tickets, ours, size, say }) {
  const big = await addEndpoint(world, 'big', `${sink.origin}/slow`);
  for (let n = 0; n < size.pendingEvents; n += 50_000) await owe(world, big, Math.min(50_000, size.pendingEvents - n));
  await world.pool.query('analyze event_delivery, event');
  await tickets.issue([big, ...endpoints]);
  await wait(Math.min(10, size.soakS) * 1_000);
  const before = await ours.memoryMb();
  await wait(size.soakS * 1_000);
  const after = await ours.memoryMb();
  const left = await pending(world, big);
  say(`memory  ${before.toFixed(0)} MB, then ${after.toFixed(0)} MB with ${left} pending`);
  return { growthMb: after - before, rssMb: after, pending: left, seconds: size.soakS };
}

async function until(done, timeoutMs) {
  const end = performance.now() + timeoutMs;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`Not everything was delivered within ${timeoutMs / 1_000} s`);
    await wait(20);
  }
}

function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function startOurs({ url, redisUrl, keys }, stops) {
  const file = path.resolve(import.meta.dirname, '../../../apps/outbound/dist/main.js');
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redisUrl,
    TRIBUTARY_KEYS: keys,
    OUTBOUND_PORT: '0',
    OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  };
  const ours = await startContender(file, env);
  stops.push(ours.stop);
  return ours;
}

async function openTickets(redisUrl, databaseUrl, stops) {
  const backend = await openTicketBackend({ redisUrl, databaseUrl, onError: () => undefined });
  const queue = new Queue(deliverQueue, backend.options);
  stops.push(async () => {
    await queue.close();
    await backend.close();
  });
  return { issue: (endpoints) => issueTickets(queue, endpoints.map(deliverTicket), () => undefined) };
}

/** One message for each answer, in order. */
function startChild(file, args, stops) {
  const child = fork(path.join(import.meta.dirname, file), args, {
    execArgv: process.env.BENCH_PROFILE === file ? ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] : [],
  });
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${file} ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        if (message.error) reject(new Error(message.error));
        else resolve(message);
      });
    });
  stops.push(async () => {
    if (child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.send({ do: 'stop' });
    await gone;
  });
  const ask = (message) => {
    const told = answer();
    child.send(message);
    return told;
  };
  return { ready: answer(), ask };
}

async function startFork(file, settings, stops) {
  const child = startChild(file, [JSON.stringify(settings)], stops);
  await child.ready;
  return { round: async (count) => (await child.ask({ do: 'round', count })).sample };
}

async function startSink(stops) {
  const child = startChild('sink.mjs', [], stops);
  const { port } = await child.ready;
  return { origin: `http://127.0.0.1:${port}`, clear: () => child.ask({ do: 'clear' }), report: () => child.ask({ do: 'report' }) };
}
