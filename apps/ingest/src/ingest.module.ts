import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { leftoverQueue, resolveQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { Ticket, TicketBackend } from '@tributary/tickets';
import type { Queue } from 'bullmq';
import type { OwedTickets } from './owed-tickets.js';

export interface IngestParts {
  readonly backend: TicketBackend;
  readonly health: HealthOptions;
  readonly makeTickets: (queue: Queue<Ticket>) => OwedTickets;
}

/** Under which Nest knows what is owed to each queue. */
export const RESOLVE_TICKETS = Symbol('tickets of notices to be filed');
export const LEFTOVER_TICKETS = Symbol('tickets of subscriptions left over');

@Module({})
export class IngestModule {
  static with({ backend, health, makeTickets }: IngestParts): DynamicModule {
    return {
      module: IngestModule,
      imports: [
        BullModule.forRoot(backend.options),
        BullModule.registerQueue({ name: resolveQueue }, { name: leftoverQueue }),
        HealthModule.with(health),
      ],
      providers: [
        { provide: RESOLVE_TICKETS, inject: [getQueueToken(resolveQueue)], useFactory: makeTickets },
        { provide: LEFTOVER_TICKETS, inject: [getQueueToken(leftoverQueue)], useFactory: makeTickets },
      ],
    };
  }
}
