import { type DynamicModule, Module } from '@nestjs/common';
import { HealthModule, createMetrics } from '@tributary/service-shell';

/** Only health and metrics are Nest's here: providers' own odd answers are easier to imitate on plain Fastify routes. */
@Module({})
export class SandboxModule {
  static with(draining: () => boolean): DynamicModule {
    return { module: SandboxModule, imports: [HealthModule.with({ metrics: createMetrics('sandbox'), checks: [], draining })] };
  }
}
