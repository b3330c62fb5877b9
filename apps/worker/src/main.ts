import { providers } from '@tributary/providers';
import { createLog, runMain, runService } from '@tributary/service-shell';
import { PROVIDER_DEADLINE_MS, openWorker } from './open-worker.js';
import { workerConfig } from './worker.config.js';

await runMain('worker', async () => {
  const config = workerConfig(process.env);
  const log = createLog('worker', config.logLevel);
  const worker = await openWorker(config, providers, log);
  await runService(worker.module, {
    log,
    host: config.host,
    port: config.port,
    portVariable: 'WORKER_PORT',
    onDrain: worker.drain,
    drainMs: PROVIDER_DEADLINE_MS + 10_000,
    onClosed: worker.close,
  });
});
