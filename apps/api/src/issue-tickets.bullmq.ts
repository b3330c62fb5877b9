import { Inject, Injectable } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bullmq';
import type { Scope } from '@tributary/domain';
import { deliverQueue, deliverTicket, fetchQueue, fetchTicket } from '@tributary/handoffs';
import { type Ticket, issueTickets } from '@tributary/tickets';
import { type Queue } from 'bullmq';
import { API_CONTEXT, type ApiContext } from './api-context.js';
import { IssueTickets } from './issue-tickets.js';

@Injectable()
export class IssueTicketsByBullmq extends IssueTickets {
  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    @InjectQueue(deliverQueue) private readonly deliveries: Queue<Ticket>,
    @InjectQueue(fetchQueue) private readonly fetches: Queue<Ticket>,
  ) {
    super();
    for (const queue of [deliveries, fetches]) queue.on('error', (error) => this.#lost(error));
  }

  async deliver(scope: Scope, endpointIds: readonly string[]): Promise<void> {
    await issueTickets(
      this.deliveries,
      endpointIds.map((endpointId) => deliverTicket({ ...scope, endpointId })),
      (error) => this.#lost(error),
    );
  }

  async fetch(scope: Scope, lanes: readonly number[]): Promise<void> {
    await issueTickets(
      this.fetches,
      lanes.map((lane) => fetchTicket({ ...scope, lane })),
      (error) => this.#lost(error),
    );
  }

  #lost(error: Error): void {
    this.context.log.warn({ what: 'ticket.lost', err: error });
  }
}
