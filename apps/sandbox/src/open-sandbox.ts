import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Clock, type Logger, runService, systemClock } from '@tributary/service-shell';
import { registerFrontPage } from './front-page.js';
import { openGarmin } from './garmin/garmin.js';
import { openGoogle } from './google/google.js';
import { openOura } from './oura/oura.js';
import { openPolar } from './polar/polar.js';
import { SandboxModule } from './sandbox.module.js';
import { openStrava } from './strava/strava.js';
import { openWhoop } from './whoop/whoop.js';
import { openWithings } from './withings/withings.js';

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
  const standIns = [
    { id: 'garmin', name: 'Garmin', ...openGarmin(clock) },
    { id: 'google', name: 'Google Health', ...openGoogle(clock) },
    { id: 'oura', name: 'Oura', ...openOura(clock, log) },
    { id: 'polar', name: 'Polar', ...openPolar(clock) },
    { id: 'strava', name: 'Strava', ...openStrava(clock) },
    { id: 'whoop', name: 'WHOOP', ...openWhoop(clock) },
    { id: 'withings', name: 'Withings', ...openWithings(clock) },
  ];
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
        for (const { id, provider, control } of standIns) {
          await server.register(provider, { prefix: `/${id}` });
          await server.register(control, { prefix: `/control/${id}` });
        }
        await server.register(registerFrontPage(standIns.map(({ id, name, facts }) => ({ path: `/${id}`, name, facts }))));
        // Before and not after: a request that waits for an ordered delay would hold the close up.
        server.addHook('preClose', async () => {
          await Promise.all(standIns.map(({ close }) => close()));
        });
      },
      onDrain: () => {
        draining = true;
      },
    },
  );
}
