// Contender: as row-per-request.mjs, but prepared as ours is, on connections of TypeORM's pool.
import { DataSource } from 'typeorm';
import { acceptDeliveries } from '../../../packages/storage/dist/index.js';
import { serveIngest } from './serve.mjs';

await serveIngest(async (config) => {
  const source = await new DataSource({
    type: 'postgres',
    url: config.databaseUrl,
    // Four for each core, as many as bring anything.
    poolSize: 8,
    extra: { options: '-c plan_cache_mode=force_generic_plan -c jit=off' },
  }).initialize();
  return (book) => ({
    ...book,
    async accept(delivery) {
      const runner = source.createQueryRunner();
      try {
        const [acceptance] = await acceptDeliveries(await runner.connect(), [delivery]);
        // Not `new`: the contenders owe no tickets.
        return acceptance === 'new' ? 'duplicate' : acceptance;
      } finally {
        await runner.release();
      }
    },
  });
});
