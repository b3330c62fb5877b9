import { ConfigError, httpUrl, readConfig } from '@tributary/service-shell';
import { z } from 'zod';

const shape = {
  TRIBUTARY_API_URL: httpUrl('the address of the API, such as https://api.example.com').default('http://127.0.0.1:4100'),
  TRIBUTARY_API_KEY: z.string({ error: 'expected an API key of the environment that is meant' }).min(1),
};

export const reachUsage = `TRIBUTARY_API_KEY is a key of the environment that is meant; TRIBUTARY_API_URL the address of the API (default http://127.0.0.1:4100).`;

/** The API cannot be reached, or asks to come again later: what is wanted may work in a while. */
export class ApiAway extends ConfigError {}

export interface ApiReach {
  /** @returns what the API answered. @throws ConfigError in the API's own words when it refuses. @throws ApiAway when it is away. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
}

interface Refusal {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
}

/** The API as a customer reaches it. @throws ConfigError when a variable is missing. */
export function reachApi(env: NodeJS.ProcessEnv): ApiReach {
  const { TRIBUTARY_API_URL, TRIBUTARY_API_KEY } = readConfig(shape, env);
  const base = TRIBUTARY_API_URL.replace(/\/$/, '');
  return {
    async call(method, path, body) {
      const reply = await fetch(`${base}${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(30_000),
        headers: { authorization: `Bearer ${TRIBUTARY_API_KEY}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        throw new ApiAway(`${base} cannot be reached (${(error as Error).message}). Is the API running, and TRIBUTARY_API_URL right?`);
      });
      const text = await reply.text().catch((error: unknown) => {
        throw new ApiAway(`${base} broke off in the middle of an answer (${(error as Error).message}).`);
      });
      const answer = text === '' ? undefined : parse(text);
      if (reply.ok) return answer;
      const { code, title, detail } = (answer ?? {}) as Refusal;
      const Fault = reply.status >= 500 || reply.status === 429 ? ApiAway : ConfigError;
      throw new Fault(`The API answered ${reply.status}${code ? ` (${code})` : ''}: ${detail ?? title ?? 'without words'}`);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
