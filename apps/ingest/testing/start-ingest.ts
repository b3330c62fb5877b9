import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createLog, runService } from '@tributary/service-shell';
import { Agent, request } from 'undici';
import { TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { ingestConfig } from '../src/ingest.config.js';
import { openIngest } from '../src/open-ingest.js';

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

export interface RunningIngest {
  /** `http://127.0.0.1:<port>`, for who speaks to it in another way. */
  readonly origin: string;
  send(path: string, options?: { method?: string; headers?: Record<string, string | string[]>; body?: Buffer | string }): Promise<Reply>;
  close(): Promise<void>;
}

/** The whole process as `main.ts` starts it, on a free port, in this process. */
export async function startIngest(databaseUrl: string, env: Record<string, string> = {}): Promise<RunningIngest> {
  const config = ingestConfig({ DATABASE_URL: databaseUrl, TRIBUTARY_KEYS: TEST_KEYS, INGEST_PORT: '0', LOG_LEVEL: 'silent', ...env });
  const log = createLog('ingest', config.logLevel);
  const ingest = await openIngest(config, log);
  const app = await runService(ingest.module, { log, host: config.host, port: 0, portVariable: 'INGEST_PORT', prepare: ingest.prepare });
  const origin = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  const dispatcher = new Agent({ connections: 64 });
  return {
    origin,
    async send(path, { method = 'POST', headers, body } = {}) {
      const reply = await request(`${origin}${path}`, { method: method as 'POST', headers, body, dispatcher });
      return { status: reply.statusCode, headers: reply.headers, body: await reply.body.text() };
    },
    async close() {
      await dispatcher.close();
      await app.close();
      await ingest.close();
    },
  };
}

/** Headers that Oura would send. @param signedAt epoch milliseconds. */
export function ouraHeaders(body: Buffer | string, secret: string, signedAt = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(signedAt / 1000));
  return {
    'content-type': 'application/json',
    'x-oura-timestamp': timestamp,
    'x-oura-signature': createHmac('sha256', secret).update(timestamp).update(body).digest('hex').toUpperCase(),
  };
}

export function ouraEvent(fields: Record<string, unknown>): string {
  return JSON.stringify({
    event_type: 'update',
    data_type: 'daily_activity',
    object_id: 'object-1',
    event_time: '2026-11-29T07:12:44.000001+00:00',
    ...fields,
  });
}
