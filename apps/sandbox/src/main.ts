import { createLog, runMain } from '@tributary/service-shell';
import { openSandbox } from './open-sandbox.js';
import { sandboxConfig } from './sandbox.config.js';

await runMain('sandbox', async () => {
  const config = sandboxConfig(process.env);
  await openSandbox({ host: config.host, port: config.port, log: createLog('sandbox', config.logLevel) });
});
