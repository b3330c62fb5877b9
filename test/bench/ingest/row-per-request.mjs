// Contender: the same route with the same statement, sent for each request by itself through TypeORM's `query`: what is left out is that
// requests share it. TypeORM cannot prepare a statement, so each is planned anew; prepared-per-request.mjs goes around TypeORM for that.
import { DataSource } from 'typeorm';
import { acceptDeliveries } from '../../../packages/storage/dist/index.js';
import { serveIngest } from './serve.mjs';

await serveIngest(async (config) => {
  const source = await new DataSource({
    type: 'postgres',
    url: config.databaseUrl,
    // Four for each core, as many as bring anything.
    poolSize: 8,
    extra: { options: '-c jit=off' },
  }).initialize();
  const sql = { query: async ({ text, values }) => ({ rows: await source.query(text, values) }) };
  return (book) => ({
    ...book,
    async accept(delivery) {
      const [acceptance] = await acceptDeliveries(sql, [delivery]);
      // Not `new`: the contenders owe no tickets.
      return acceptance === 'new' ? 'duplicate' : acceptance;
    },
  });
});
