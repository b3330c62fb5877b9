import { randomBytes } from 'node:crypto';
import { databaseUrl, newId, readConfig } from '@tributary/service-shell';
import { connect, inTransaction, insertApiKey, insertTenant } from '@tributary/storage';
import { makeApiKey } from '../auth/api-key.js';
import { bootstrapUsage, readBootstrap } from './bootstrap-arguments.js';
import type { Command } from './command.js';

export const bootstrap: Command = {
  name: 'bootstrap',
  summary: 'make a tenant and its first API key',
  usage: bootstrapUsage,
  async run(args, env) {
    const wish = readBootstrap(args);
    const { DATABASE_URL } = readConfig({ DATABASE_URL: databaseUrl() }, env);
    const database = await connect({ url: DATABASE_URL, poolSize: 1, applicationName: 'tributary-cli' });
    try {
      const tenantId = newId('ten');
      const apiKeyId = newId('key');
      const made = makeApiKey(wish.environment, randomBytes(32));
      await inTransaction(database.pool, async (client) => {
        await insertTenant(client, { id: tenantId, name: wish.tenant, debounceMs: wish.debounceMs, maxWaitMs: wish.maxWaitMs });
        await insertApiKey(client, {
          tenantId,
          environment: wish.environment,
          id: apiKeyId,
          name: 'bootstrap',
          prefix: made.prefix,
          hash: made.hash,
          expiresAt: undefined,
        });
      });
      console.log(
        wish.json
          ? JSON.stringify({ tenantId, environment: wish.environment, apiKeyId, apiKey: made.key })
          : `Tenant ${tenantId} (${wish.tenant}) is made.\nAPI key for ${wish.environment}, shown only now:\n\n  ${made.key}\n`,
      );
    } finally {
      await database.close();
    }
  },
};
