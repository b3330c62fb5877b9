import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { deliverQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { TicketBackend } from '@tributary/tickets';
import { DeliverProcessor, SLICE_DEPENDENCIES } from './deliver.processor.js';
import type { SliceDependencies } from './slice-dependencies.js';
import { RecoverTimer } from './recover-timer.js';

export interface OutboundParts {
  readonly backend: TicketBackend;
  readonly health: HealthOptions;
  readonly slice: SliceDependencies;
}

@Module({})
export class OutboundModule {
  static with({ backend, health, slice }: OutboundParts): DynamicModule {
    return {
      module: OutboundModule,
      imports: [BullModule.forRoot(backend.options), BullModule.registerQueue({ name: deliverQueue }), HealthModule.with(health)],
      providers: [DeliverProcessor, RecoverTimer, { provide: SLICE_DEPENDENCIES, useValue: slice }],
    };
  }
}
