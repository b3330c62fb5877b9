// The same query through bare pg, in a process of the same shape: one Fastify route, one pool of the same size, the rows as JSON. No key is
// looked at, nothing is checked, no field is named as customers know it: what remains is what HTTP and the query cost by themselves.
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.API_POOL_SIZE) });
const app = fastify();

app.get('/v1/users/:id/daily', async (request) => {
  const { metric, from, to } = request.query;
  const { rows } = await pool.query({
    name: 'read',
    text: `
      select connection_id, provider, source_id, local_date, source, date_basis, day_model, utc_offset_s, provisional or unsettled as provisional,
        version, inferred, revision, metric, value, unit, implausible
      from daily_rollup
      where tenant_id = $1 and environment = $2 and user_id = $3 and metric = $4 and local_date between $5 and $6 and not deleted
      order by local_date, metric, provider, source_id
      limit 51`,
    values: ['ten_bench', 'test', request.params.id, metric, from, to],
  });
  return { data: rows };
});

/** As our processes tell it, for the CPU that a request costs. */
app.get('/metrics', (_request, reply) => {
  const { user, system } = process.cpuUsage();
  void reply.type('text/plain');
  return `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`;
});

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ level: 'info', what: 'service.listening', port: app.server.address().port }));
process.once('SIGTERM', () => process.exit(0));
