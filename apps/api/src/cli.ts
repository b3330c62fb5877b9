#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ConfigError, databaseUrl, newId, readConfig, startFailure } from '@tributary/service-shell';
import { connect, inTransaction, insertApiKey, insertTenant } from '@tributary/storage';
import { makeApiKey } from './auth/api-key.js';

const usage = `Usage: tributary bootstrap --tenant NAME --environment test|live [options]

Creates a tenant with both its environments, and an API key for one of them. The key is printed once.

  --tenant NAME         name of the customer organisation
  --environment NAME    which environment the key is for: test or live
  --debounce-ms N       how long to wait for more of the same before reading (default 5000)
  --max-wait-ms N       and for how long at most (default 60000)
  --json                print one JSON object: tenantId, environment, apiKeyId, apiKey
  --help                this text

DATABASE_URL names the database.`;

interface Wish {
  readonly tenant: string;
  readonly environment: 'test' | 'live';
  readonly debounceMs: number | undefined;
  readonly maxWaitMs: number | undefined;
  readonly json: boolean;
}

/** @throws ConfigError that says which argument is wrong. */
function readArguments(args: readonly string[]): Wish | 'help' {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args], allowPositionals: true,
      options: {
        tenant: { type: 'string' }, environment: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' },
        'debounce-ms': { type: 'string' }, 'max-wait-ms': { type: 'string' },
      },
    });
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n\n${usage}`);
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
  if (positionals.length !== 1 || positionals[0] !== 'bootstrap') throw new ConfigError(`expected the command "bootstrap".\n\n${usage}`);
  const tenant = values.tenant?.trim();
  if (!tenant || tenant.length > 200) throw new ConfigError('--tenant: give the name of the organisation, of at most 200 characters');
  const { environment } = values;
  if (environment !== 'test' && environment !== 'live') throw new ConfigError('--environment: give test or live');
  const debounceMs = wholeMs('debounce-ms', values['debounce-ms']);
  const maxWaitMs = wholeMs('max-wait-ms', values['max-wait-ms']);
  if (maxWaitMs !== undefined && maxWaitMs < (debounceMs ?? 5_000)) {
    throw new ConfigError(`--max-wait-ms: ${maxWaitMs} is less than the debounce of ${debounceMs ?? 5_000} ms, which it has to hold`);
  }
  return { tenant, environment, debounceMs, maxWaitMs, json: values.json ?? false };
}

function wholeMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,8}$/.test(text) || Number(text) > 86_400_000) throw new ConfigError(`--${name}: give whole milliseconds from 0 to 86400000`);
  return Number(text);
}

async function bootstrap(wish: Wish): Promise<void> {
  const { DATABASE_URL } = readConfig({ DATABASE_URL: databaseUrl() }, process.env);
  const database = await connect({ url: DATABASE_URL, poolSize: 1, applicationName: 'tributary-cli' });
  try {
    const tenantId = newId('ten');
    const apiKeyId = newId('key');
    const made = makeApiKey(wish.environment, randomBytes(32));
    await inTransaction(database.pool, async (client) => {
      await insertTenant(client, { id: tenantId, name: wish.tenant, debounceMs: wish.debounceMs, maxWaitMs: wish.maxWaitMs });
      await insertApiKey(client, {
        tenantId, environment: wish.environment, id: apiKeyId, name: 'bootstrap', prefix: made.prefix, hash: made.hash, expiresAt: undefined,
      });
    });
    console.log(wish.json
      ? JSON.stringify({ tenantId, environment: wish.environment, apiKeyId, apiKey: made.key })
      : `Tenant ${tenantId} (${wish.tenant}) is made.\nAPI key for ${wish.environment}, shown only now:\n\n  ${made.key}\n`);
  } finally {
    await database.close();
  }
}

try {
  const wish = readArguments(process.argv.slice(2));
  if (wish === 'help') console.log(usage);
  else await bootstrap(wish);
} catch (error) {
  const { message, exitCode } = startFailure('tributary', error);
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
