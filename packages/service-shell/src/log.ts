import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * Structured lines on standard output: one for each unit of work that failed or changed something, none for each accepted event.
 * The paths below are a net, not a licence: bodies, tokens, secrets and people's ids are never handed to a log at all.
 */
export function createLog(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'accessToken',
          '*.accessToken',
          'refreshToken',
          '*.refreshToken',
          'secret',
          '*.secret',
          'subjectId',
          '*.subjectId',
        ],
        censor: '[removed]',
      },
    },
    standardOutput(),
  );
}

/**
 * Written at once, line by line, which a log of few lines can afford. Pino's default gathers lines and writes them out at exit; when
 * the reader of the pipe is gone by then, it tries that again without end (sonic-boom 4.2.1, flushSync), and a process that outlived
 * its parent would never stop.
 */
function standardOutput() {
  return pino.destination({ fd: 1, sync: true });
}

/** Nest's own start-up lines are kept to warnings and errors. */
export function nestLog(log: Logger): LoggerService {
  const write =
    (level: 'warn' | 'error' | 'debug') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
      if (message instanceof Error) log[level]({ err: message, context });
      else log[level]({ context }, String(message));
    };
  return {
    log: write('debug'),
    warn: write('warn'),
    error: write('error'),
    debug: write('debug'),
    verbose: write('debug'),
    fatal: write('error'),
  };
}
