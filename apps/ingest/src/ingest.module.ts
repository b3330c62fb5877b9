import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { resolveQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { Ticket, TicketBackend } from '@tributary/tickets';
import type { Queue } from 'bullmq';
import { ResolveTickets } from './resolve-tickets.js';

export interface IngestParts {
  readonly backend: TicketBackend;
  readonly health: HealthOptions;
  readonly makeTickets: (queue: Queue<Ticket>) => ResolveTickets;
}

@Module({})
export class IngestModule {
  static with({ backend, health, makeTickets }: IngestParts): DynamicModule {
    return {
      module: IngestModule,
      imports: [BullModule.forRoot(backend.options), BullModule.registerQueue({ name: resolveQueue }), HealthModule.with(health)],
      providers: [{ provide: ResolveTickets, inject: [getQueueToken(resolveQueue)], useFactory: makeTickets }],
    };
  }
}
