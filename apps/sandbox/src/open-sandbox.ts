import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Clock, type Logger, runService, systemClock } from '@tributary/service-shell';
import { registerFrontPage } from './front-page.js';
import { openOura } from './oura/oura.js';
import { SandboxModule } from './sandbox.module.js';

export interface SandboxOptions {
  readonly host: string;
  /** 0 means any free one. */
  readonly port: number;
  readonly log: Logger;
  readonly clock?: Clock;
}

/**
 * Starts the stand-ins of all providers in one process, each under `/<provider id>`, with `/control/<provider id>` to steer it.
 * Everything is in memory: a restart forgets apps, people and grants.
 */
export async function openSandbox({ host, port, log, clock = systemClock }: SandboxOptions): Promise<NestFastifyApplication> {
  const oura = openOura(clock, log);
  let draining = false;
  return runService(
    SandboxModule.with(() => draining),
    {
      log,
      host,
      port,
      portVariable: 'SANDBOX_PORT',
      bodyLimitBytes: 4 * 1024 * 1024,
      prepare: async (app) => {
        const server = app.getHttpAdapter().getInstance();
        await server.register(oura.provider, { prefix: '/oura' });
        await server.register(oura.control, { prefix: '/control/oura' });
        await server.register(registerFrontPage([{ path: '/oura', name: 'Oura', facts: oura.facts }]));
        // Before and not after: a request that waits for an ordered delay would hold the close up.
        server.addHook('preClose', () => oura.close());
      },
      onDrain: () => {
        draining = true;
      },
    },
  );
}
