import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type CanActivate, type INestApplication, Injectable, Logger, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express from 'express';
import { createServer } from 'node:http';
import { memoryStore } from '../claim-store.memory.js';
import { type Receiver, createReceiver } from '../receiver.js';
import { exampleSecret, signedExample } from '../testing.js';
import { TributaryModule } from './nestjs.js';
import { probeRoute } from './probe-raw-body.js';

const apps: INestApplication[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

function receiverOf(seen: string[]): Receiver {
  return createReceiver({
    secrets: exampleSecret,
    store: memoryStore(),
    handlers: { otherwise: (event) => void seen.push(event.id) },
    onProblem: () => undefined,
  });
}

interface Scene {
  readonly imports: Parameters<typeof Module>[0]['imports'];
  readonly providers?: Parameters<typeof Module>[0]['providers'];
  readonly rawBody?: boolean;
  readonly prefix?: string;
}

async function started({ imports, providers = [], rawBody = true, prefix }: Scene): Promise<string> {
  class AppModule {}
  Module({ imports: imports ?? [], providers })(AppModule);
  const app = await NestFactory.create(AppModule, new FastifyAdapter(), { rawBody, logger: ['warn'], abortOnError: false });
  apps.push(app);
  if (prefix !== undefined) app.setGlobalPrefix(prefix);
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

async function post(url: string, sent: { headers: Record<string, string>; body: Uint8Array<ArrayBuffer> }) {
  const response = await fetch(url, { method: 'POST', headers: sent.headers, body: sent.body });
  return [response.status, await response.text()];
}

describe('the module for NestJS', () => {
  it('receives over the raw bytes, under the global prefix too, and runs no handler for its own check', async () => {
    const seen: string[] = [];
    const url = await started({ imports: [TributaryModule.forRoot({ path: '/hooks', receiver: receiverOf(seen) })], prefix: 'api/v2' });
    const sent = await signedExample('endpoint.test', { secret: exampleSecret, id: 'evt_1' });
    expect(seen).toEqual([]);
    expect(await post(`${url}/api/v2/hooks`, sent)).toEqual([204, '']);
    const spoiled = { ...sent, body: new Uint8Array(Buffer.concat([sent.body, Buffer.from('\n')])) };
    expect(await post(`${url}/api/v2/hooks`, spoiled)).toEqual([400, '{"code":"signature_mismatch"}']);
    expect(seen).toEqual(['evt_1']);
  });

  it('does not let the application start without raw bodies, and says how to get them', async () => {
    const starting = started({ imports: [TributaryModule.forRoot({ receiver: receiverOf([]) })], rawBody: false });
    await expect(starting).rejects.toThrow(/POST \/webhooks\/tributary gets parsed bodies only.*rawBody: true/s);
  });

  it('takes a receiver that other providers make', async () => {
    const seen: string[] = [];
    @Injectable()
    class Settings {
      readonly secret = exampleSecret;
    }
    class SettingsModule {}
    Module({ providers: [Settings], exports: [Settings] })(SettingsModule);
    const url = await started({
      imports: [
        TributaryModule.forRootAsync({
          path: 'hooks',
          imports: [SettingsModule],
          inject: [Settings],
          useFactory: async (settings: Settings) => {
            expect(settings.secret).toBe(exampleSecret);
            return receiverOf(seen);
          },
        }),
      ],
    });
    expect(await post(`${url}/hooks`, await signedExample('endpoint.test', { secret: exampleSecret, id: 'evt_2' }))).toEqual([204, '']);
    expect(seen).toEqual(['evt_2']);
  });

  it('starts with a warning where a guard keeps it from checking', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    class Closed implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    try {
      await started({
        imports: [TributaryModule.forRoot({ receiver: receiverOf([]) })],
        providers: [{ provide: APP_GUARD, useClass: Closed }],
        rawBody: false,
      });
      expect(warned).toHaveBeenCalledWith(expect.stringContaining('could not be checked'));
    } finally {
      warned.mockRestore();
    }
  });

  it('drains its receiver when the application closes', async () => {
    const receiver = receiverOf([]);
    await started({ imports: [TributaryModule.forRoot({ receiver })] });
    for (const app of apps.splice(0)) await app.close();
    expect((await receiver.receive(await signedExample('endpoint.test', { secret: exampleSecret }))).is).toBe('draining');
  });
});

describe('the check of a route', () => {
  it.each([
    ['with raw bodies', true],
    ['without', false],
  ])('goes through the parsers of Express %s', async (_, raw) => {
    const app = express();
    const verify = (request: object, __: unknown, bytes: Buffer) => void (raw && Object.assign(request, { rawBody: bytes }));
    app.use(express.json({ verify }));
    let got: { rawBody?: unknown; body: unknown; check: unknown } | undefined;
    app.post('/hooks', (request, response) => {
      got = { rawBody: (request as { rawBody?: unknown }).rawBody, body: request.body, check: request.headers['x-check'] };
      response.status(204).end();
    });
    const server = createServer(app);
    const adapter = { getInstance: () => app, getHttpServer: () => server };
    await probeRoute(adapter, { path: '/hooks', headers: { 'x-check': 'yes' }, timeoutMs: 30_000 });
    expect(got).toEqual({ rawBody: raw ? Buffer.from('{}') : undefined, body: {}, check: 'yes' });
  });
  it('gives up on a route that never answers', async () => {
    const app = express();
    app.post('/hooks', () => undefined);
    const server = createServer(app);
    await probeRoute({ getInstance: () => app, getHttpServer: () => server }, { path: '/hooks', headers: {}, timeoutMs: 20 });
    expect(server.listening).toBe(false);
  });
});
