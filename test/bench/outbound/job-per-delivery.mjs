// The usual way: a BullMQ job for each delivery, which holds what is to be sent; the worker posts it and updates its row.
import { createHmac, randomBytes } from 'node:crypto';
import { Queue, Worker, createNodeRedisClient } from 'bullmq';
import pg from 'pg';
import { createClient } from 'redis';
import { Agent } from 'undici';
import { BODY_BYTES } from './world.mjs';

const { origin, inFlight, redisUrl, databaseUrl } = JSON.parse(process.argv[2]);
const NAME = 'bench-deliveries';
const client = createClient({ url: redisUrl });
await client.connect();
const connection = createNodeRedisClient(client);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });
await pool.query(
  `create table if not exists bench_job_delivery (id text primary key, state text not null, attempts int not null default 0,
     status_code int, sent_at timestamptz)`,
);
const key = randomBytes(32);
const agent = new Agent({ pipelining: 1, connections: inFlight });
const body = `{"note":"${'a'.repeat(BODY_BYTES - 11)}"}`;
const queue = new Queue(NAME, { connection });
let left = 0;
let finished = () => {};

async function work(job) {
  const { id, payload } = job.data;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'bench',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`,
  };
  const response = await agent.request({ origin, path: '/job', method: 'POST', headers, body: payload });
  await response.body.dump();
  await pool.query({
    name: 'done',
    text: `update bench_job_delivery set state = 'delivered', attempts = attempts + 1, status_code = $2, sent_at = now() where id = $1`,
    values: [id, response.statusCode],
  });
  left -= 1;
  if (left === 0) finished();
}

const options = { connection, concurrency: inFlight, autorun: false, removeOnComplete: { count: 0 } };
const worker = new Worker(NAME, work, options);
worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
let started = false;
let serial = 0;

/** Rows and jobs stand before the clock starts. */
async function run(count) {
  const ids = Array.from({ length: count }, () => `evt_${(serial += 1)}`);
  await pool.query(`insert into bench_job_delivery (id, state) select unnest($1::text[]), 'pending'`, [ids]);
  if (started) await worker.pause();
  const opts = { removeOnComplete: true, removeOnFail: true };
  for (let at = 0; at < count; at += 1_000) {
    await queue.addBulk(ids.slice(at, at + 1_000).map((id) => ({ name: 'deliver', data: { id, payload: body }, opts })));
  }
  left = count;
  const done = new Promise((resolve) => {
    finished = resolve;
  });
  const begin = performance.now();
  if (started) worker.resume();
  else void worker.run();
  started = true;
  await done;
  return { perSecond: (count / (performance.now() - begin)) * 1_000 };
}

process.on('message', (message) => {
  if (message.do === 'stop') process.exit(0);
  run(message.count).then(
    (sample) => process.send({ sample }),
    (error) => process.send({ error: error.stack }),
  );
});
process.send({ ready: true });
