import { providers } from '@tributary/providers';
import { createLog, runMain, runService } from '@tributary/service-shell';
import { apiConfig } from './api.config.js';
import { openApi } from './open-api.js';
import { prepareApi } from './prepare-api.js';

await runMain('api', async () => {
  const config = apiConfig(process.env);
  const log = createLog('api', config.logLevel);
  const api = await openApi(config, log, new Map(providers.map((provider) => [provider.id, provider])));
  await runService(api.module, {
    log,
    host: config.host,
    port: config.port,
    portVariable: 'API_PORT',
    answersWhileClosing: true,
    prepare: (app) => prepareApi(app, { docsPage: true }),
    onDrain: api.drain,
    onClosed: api.close,
  });
});
