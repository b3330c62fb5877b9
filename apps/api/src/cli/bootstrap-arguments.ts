import { ConfigError } from '@tributary/service-shell';
import { readOptions } from './read-options.js';

export const bootstrapUsage = `Usage: tributary bootstrap --tenant NAME --environment test|live [options]

Creates a tenant with both its environments, and an API key for one of them. The key is printed once.

  --tenant NAME         name of the customer organisation
  --environment NAME    which environment the key is for: test or live
  --debounce-ms N       how long to wait for more of the same before reading (default 5000)
  --max-wait-ms N       and for how long at most (default 60000)
  --json                print one JSON object: tenantId, environment, apiKeyId, apiKey

DATABASE_URL names the database.`;

export interface Bootstrap {
  readonly tenant: string;
  readonly environment: 'test' | 'live';
  readonly debounceMs: number | undefined;
  readonly maxWaitMs: number | undefined;
  readonly json: boolean;
}

/** @throws ConfigError that says which argument is wrong. */
export function readBootstrap(args: readonly string[]): Bootstrap {
  const values = readOptions(
    args,
    {
      tenant: { type: 'string' },
      environment: { type: 'string' },
      json: { type: 'boolean' },
      'debounce-ms': { type: 'string' },
      'max-wait-ms': { type: 'string' },
    },
    bootstrapUsage,
  );
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
