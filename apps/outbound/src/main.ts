import { createLog, runMain, runService } from '@tributary/service-shell';
import { openOutbound } from './open-outbound.js';
import { outboundConfig } from './outbound.config.js';
import { limits } from './post-to-endpoint.js';

await runMain('outbound', async () => {
  const config = outboundConfig(process.env);
  const log = createLog('outbound', config.logLevel);
  if (config.allowNetworks.length > 0) log.warn({ what: 'outbound.private_networks_allowed', networks: config.allowNetworks });
  const outbound = await openOutbound(config, log);
  await runService(outbound.module, {
    log,
    host: config.host,
    port: config.port,
    portVariable: 'OUTBOUND_PORT',
    onDrain: outbound.drain,
    drainMs: limits.deadlineMs + 5_000,
    onClosed: outbound.close,
  });
});
