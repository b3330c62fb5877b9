import { Controller, type DynamicModule, Get, Header, HttpException, Inject, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Registry } from 'prom-client';
import { PublicRoute } from './public-route.js';

export interface ReadinessCheck {
  readonly name: string;
  /** Throws, or does not answer in time, when the thing is not there. */
  check(): Promise<void>;
}

export interface HealthOptions {
  readonly metrics: Registry;
  readonly checks: readonly ReadinessCheck[];
  /** True once SIGTERM came: no longer ready, still alive. */
  readonly draining: () => boolean;
}

const HEALTH = Symbol('health');
const CHECK_MS = 2_000;

@ApiExcludeController()
@PublicRoute()
@Controller()
class HealthController {
  constructor(@Inject(HEALTH) private readonly options: HealthOptions) {}

  /** The process runs its event loop. */
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can do its work now: 503 with the names of what is missing otherwise. */
  @Get('health/ready')
  async ready(): Promise<{ status: 'ok' }> {
    const missing = await Promise.all(
      this.options.checks.map(async ({ name, check }) => {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error('late')), CHECK_MS);
        });
        return Promise.race([check(), late])
          .then(
            () => [],
            () => [name],
          )
          .finally(() => clearTimeout(timer));
      }),
    );
    const names = [...(this.options.draining() ? ['draining'] : []), ...missing.flat()];
    if (names.length > 0) throw new HttpException({ status: 'unavailable', missing: names }, 503);
    return { status: 'ok' };
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.options.metrics.metrics();
  }
}

@Module({})
export class HealthModule {
  static with(options: HealthOptions): DynamicModule {
    return { module: HealthModule, controllers: [HealthController], providers: [{ provide: HEALTH, useValue: options }] };
  }
}
