// One contender in a process of its own. Told a round, it makes ready what is to be written, then writes it by many reads at once, and
// says how that went.
import pg from 'pg';
import { contenders } from './ways.mjs';
import { claimAll, recordsOf, ROWS, windowOf } from './world.mjs';

const { name, way, url, tenants, people, inFlight, connections } = JSON.parse(process.argv[2]);
const admin = new pg.Pool({ connectionString: url, max: 1 });
const writer = await contenders[way](url, connections);
let round = 0;
let person = 0;

/** Made ready at a time: so much that reads follow each other without a gap, and so little that it is young when it is written. */
const CHUNK = 320;

async function run(windows) {
  round += 1;
  const leases = writer.leases ? await claimAll(admin, name) : new Map();
  const latencies = [];
  let tookMs = 0;
  let cpuMicros = 0;
  for (let done = 0; done < windows; done += CHUNK) {
    const work = Array.from({ length: Math.min(CHUNK, windows - done) }, () => {
      person = (person + 1) % people;
      return writer.prepare(windowOf(name, tenants, person, leases.get(`con_${person}`)), recordsOf(person, round));
    });
    const cpu = process.cpuUsage();
    const started = performance.now();
    await writeAll(work, latencies);
    tookMs += performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    cpuMicros += user + system;
  }
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const records = windows * ROWS;
  return {
    records,
    perSecond: (records / tookMs) * 1000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMicros: cpuMicros / records,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
}

async function writeAll(work, latencies) {
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < work.length) {
        const one = work[next++];
        const begin = performance.now();
        await writer.write(one);
        latencies.push(performance.now() - begin);
      }
    }),
  );
}

process.on('message', (message) => {
  if (message.do === 'stop') {
    void Promise.all([admin.end(), writer.close()]).then(() => process.exit(0));
  } else {
    run(message.windows).then(
      (sample) => process.send({ sample }),
      (error) => process.send({ error: error.stack }),
    );
  }
});
process.send({ ready: true });
