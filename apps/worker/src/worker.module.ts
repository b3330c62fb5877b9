import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { deliverQueue, fetchQueue, leftoverQueue, resolveQueue, viewQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { TicketBackend } from '@tributary/tickets';
import { BackfillUpkeep } from './backfill-upkeep-timer.js';
import { ScanDue } from './scan-due.js';
import { DriftUpkeep } from './drift-upkeep.js';
import { FetchProcessor } from './fetch.processor.js';
import { LeftoverProcessor } from './leftover.processor.js';
import { RetentionTimer } from './retention-timer.js';
import { ResolveProcessor } from './resolve.processor.js';
import { ViewProcessor } from './view.processor.js';
import { SubscriptionUpkeep } from './subscription-upkeep-timer.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

export interface WorkerParts {
  readonly backend: TicketBackend;
  readonly health: HealthOptions;
  readonly context: WorkerContext;
}

@Module({})
export class WorkerModule {
  static with({ backend, health, context }: WorkerParts): DynamicModule {
    const queues = [resolveQueue, fetchQueue, deliverQueue, leftoverQueue, viewQueue].map((name) => ({ name }));
    return {
      module: WorkerModule,
      imports: [BullModule.forRoot(backend.options), BullModule.registerQueue(...queues), HealthModule.with(health)],
      providers: [
        ResolveProcessor,
        FetchProcessor,
        LeftoverProcessor,
        ViewProcessor,
        ScanDue,
        SubscriptionUpkeep,
        BackfillUpkeep,
        DriftUpkeep,
        RetentionTimer,
        { provide: WORKER_CONTEXT, useValue: context },
      ],
    };
  }
}
