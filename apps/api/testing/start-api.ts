import { randomBytes } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { providers } from '@tributary/providers';
import { type Clock, createLog, newId, systemClock } from '@tributary/service-shell';
import { insertApiKey } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { apiConfig } from '../src/api.config.js';
import { makeApiKey } from '../src/auth/api-key.js';
import { openApi } from '../src/open-api.js';
import { prepareApi } from '../src/prepare-api.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Tests read answers as an outsider would, without our types.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface Call {
  readonly key?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

/** The API over real HTTP on a database of its own. */
export interface RunningApi {
  readonly db: TestDatabase;
  readonly seed: Seed;
  readonly url: string;
  call(method: string, path: string, options?: Call): Promise<Reply>;
  /** A new key of the environment. */
  key(scope: SeededEnvironment, options?: { expiresAt?: Date; scopes?: string[] }): Promise<{ id: string; key: string }>;
  rows<T>(text: string, values?: unknown[]): Promise<T[]>;
  stop(): Promise<void>;
}

export async function startApi(
  keyRing: { seal(plain: string, context: string): Buffer },
  env: Record<string, string> = {},
  now: Clock = systemClock,
): Promise<RunningApi> {
  const db = await cloneDatabase();
  const config = apiConfig({
    DATABASE_URL: db.url,
    TRIBUTARY_KEYS: TEST_KEYS,
    PUBLIC_API_URL: 'http://api.example',
    PUBLIC_INGEST_URL: 'http://hooks.example',
    ...env,
  });
  const api = await openApi(config, createLog('api', 'silent'), new Map(providers.map((one) => [one.id, one])), now);
  const adapter = new FastifyAdapter({ bodyLimit: 1_048_576, forceCloseConnections: true, return503OnClosing: false });
  const app = await NestFactory.create<NestFastifyApplication>(api.module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  // The page needs a package that Jest cannot load (CommonJS that requires an ES module); a test of the process itself looks at it.
  prepareApi(app, { docsPage: false });
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return {
    db,
    url,
    seed: new Seed(db.pool, keyRing),
    async call(method, path, { key, body, raw, headers = {} } = {}) {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const reply = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      });
      const text = await reply.text();
      const json = /\/([a-z.-]+\+)?json/.test(reply.headers.get('content-type') ?? '');
      return { status: reply.status, headers: reply.headers, body: json ? JSON.parse(text) : text };
    },
    async key({ tenantId, environment }, { expiresAt, scopes } = {}) {
      const id = newId('key');
      const { key, prefix, hash } = makeApiKey(environment, randomBytes(32));
      await insertApiKey(db.pool, { tenantId, environment, id, name: 'test', prefix, hash, expiresAt, scopes });
      return { id, key };
    },
    async rows<T>(text: string, values: unknown[] = []) {
      return (await db.pool.query(text, values)).rows as T[];
    },
    async stop() {
      await app.close();
      await api.close();
      await db.drop();
    },
  };
}
