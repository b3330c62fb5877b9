import { createServer } from 'node:http';
import { ConfigError, port, readConfig, runMain } from '@tributary/service-shell';
import { receiverServer } from './receiver-server.js';

await runMain('receiver', async () => {
  const { RECEIVER_PORT } = readConfig({ RECEIVER_PORT: port().default(4105) }, process.env);
  const server = createServer(receiverServer());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(`Port ${RECEIVER_PORT} is in use by another program. Set RECEIVER_PORT to a free port, or to 0 for any.`)
          : error,
      );
    });
    server.listen(RECEIVER_PORT, '127.0.0.1', resolve);
  });
  const end = () => server.close(() => process.exit(0)).closeIdleConnections();
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, end);
});
