import { createLog, runMain, runService } from '../../../packages/service-shell/dist/index.js';
import { ingestConfig } from '../../../apps/ingest/dist/ingest.config.js';
import { openIngest } from '../../../apps/ingest/dist/open-ingest.js';

/** The ingest process as its main file starts it, with another way to keep deliveries. For measuring only. */
export const serveIngest = (wrapBook) =>
  runMain('ingest', async () => {
    const config = ingestConfig(process.env);
    const log = createLog('ingest', config.logLevel);
    const ingest = await openIngest(config, log, await wrapBook(config));
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
