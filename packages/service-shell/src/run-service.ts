import { type Type, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ConfigError } from './read-config.js';
import { type Logger, nestLog } from './log.js';

export interface ServiceOptions {
  readonly log: Logger;
  readonly host: string;
  readonly port: number;
  /** Name of the variable that sets `port`, for the message when it is taken. */
  readonly portVariable: string;
  readonly bodyLimitBytes?: number;
  /** The service answers by itself what still comes in while it closes; otherwise Fastify does, in its own form. */
  readonly answersWhileClosing?: boolean;
  /** Called before the port is opened, e.g. to register raw routes or body parsers. */
  readonly prepare?: (app: NestFastifyApplication) => void | Promise<void>;
  /** Called first on SIGTERM: stop taking work in. */
  readonly onDrain?: () => void;
  /** Longest that a drain may take before the process ends anyway; what it left is claimed by others when leases end. */
  readonly drainMs?: number;
  /** Called once Nest has closed: the place to close what its providers used to the end, the database and the ticket backend. */
  readonly onClosed?: () => Promise<void>;
}

/** How often requests that take too long to come are looked for; a service that sets `requestTimeout` cuts them off this much later at most. */
const TIMEOUT_CHECK_MS = 3_000;

/**
 * Starts a Nest application on Fastify and keeps it until SIGTERM or SIGINT, then drains: readiness turns red, intake stops, work
 * in hand ends, connections close, exit 0.
 */
export async function runService(module: Type | DynamicModule, options: ServiceOptions): Promise<NestFastifyApplication> {
  const { log, host, port } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: options.bodyLimitBytes ?? 1_048_576,
    trustProxy: true,
    return503OnClosing: options.answersWhileClosing !== true,
    forceCloseConnections: 'idle',
    http: { connectionsCheckingInterval: TIMEOUT_CHECK_MS },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: nestLog(log),
    bodyParser: false,
    abortOnError: false,
  });
  await options.prepare?.(app);
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close().catch(() => undefined);
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ConfigError(`Port ${port} is in use by another program. Set ${options.portVariable} to a free port, or to 0 for any.`);
    }
    throw error;
  }
  const address = app.getHttpServer().address() as { port: number };
  log.info({ what: 'service.listening', port: address.port }, `listening on http://${host}:${address.port}`);
  let ending = false;
  const end = (signal: string) => {
    if (ending) return;
    ending = true;
    options.onDrain?.();
    log.info({ what: 'service.draining', signal });
    const timer = setTimeout(() => {
      log.warn({ what: 'service.drain_timeout' });
      process.exit(0);
    }, options.drainMs ?? 15_000);
    app
      .close()
      .then(() => options.onClosed?.())
      .then(
        () => {
          clearTimeout(timer);
          log.info({ what: 'service.stopped' });
          process.exit(0);
        },
        (error: unknown) => {
          log.error({ what: 'service.stop_failed', err: error });
          process.exit(1);
        },
      );
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  // Started by another process with a channel (npm start): when that one is gone, so is the reason to run.
  if (process.connected) process.once('disconnect', () => end('disconnect'));
  return app;
}

/**
 * Runs a `main`, and turns what a person can mend into one line without a stack: exit 2 for configuration, 1 for the rest. Says
 * `started` to who started us with a channel: that a port answers does not yet mean that it is ours.
 */
export async function runMain(service: string, main: () => Promise<unknown>): Promise<void> {
  let started = false;
  if (process.send !== undefined) {
    // Who started us with a channel may end while we still load or wait for a database.
    if (!process.connected) process.exit(1);
    process.once('disconnect', () => {
      if (!started) process.exit(1);
    });
  }
  try {
    await main();
    started = true;
    process.send?.('started');
  } catch (error) {
    const { message, exitCode } = startFailure(service, error);
    process.stderr.write(`${message}\n`);
    process.exit(exitCode);
  }
}

/** What a person reads when a process cannot start: which variable, and what to do. */
export function startFailure(service: string, error: unknown): { message: string; exitCode: number } {
  const { code, message } = error as NodeJS.ErrnoException & Error;
  if (error instanceof ConfigError) return { message: `${service}: ${message}`, exitCode: 2 };
  if (code !== undefined && unreachable.has(code)) {
    return {
      message: `${service}: a service that it needs does not answer (${code}). Check DATABASE_URL, and REDIS_URL if it is set.`,
      exitCode: 1,
    };
  }
  if (code === '42P01')
    return { message: `${service}: the database has no schema yet. Run the migrations first: DATABASE_URL=… npm run migrate`, exitCode: 1 };
  if (code === 'ENOSPC' || code === '53100')
    return {
      message: `${service}: the disk is full. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.`,
      exitCode: 1,
    };
  if (code === '3D000')
    return { message: `${service}: DATABASE_URL names a database that does not exist. Create it, or correct the name.`, exitCode: 1 };
  if (code === '28P01' || code === '28000')
    return { message: `${service}: PostgreSQL refused the user or password of DATABASE_URL. Correct them.`, exitCode: 1 };
  return { message: `${service}: could not start: ${message}`, exitCode: 1 };
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET', 'EAI_AGAIN', '57P03']);
