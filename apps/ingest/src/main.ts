import { createLog, runMain, runService } from '@tributary/service-shell';
import { ingestConfig } from './ingest.config.js';
import { openIngest } from './open-ingest.js';

await runMain('ingest', async () => {
  const config = ingestConfig(process.env);
  const log = createLog('ingest', config.logLevel);
  const ingest = await openIngest(config, log);
  await runService(ingest.module, {
    log,
    host: config.host,
    port: config.port,
    portVariable: 'INGEST_PORT',
    prepare: ingest.prepare,
    onDrain: ingest.drain,
    onClosed: ingest.close,
  });
});
