import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { deliverQueue, fetchQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { TicketBackend } from '@tributary/tickets';
import { CheckShapePipe } from './answers/check-shape.pipe.js';
import { ProblemFilter } from './answers/problem.filter.js';
import { API_CONTEXT, type ApiContext } from './api-context.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { ApiKeyStrategy } from './auth/api-key.strategy.js';
import { BackfillsController } from './backfills/backfills.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ConnectCallbackController } from './connections/connect-callback.controller.js';
import { ConnectSessionsController } from './connections/connect-sessions.controller.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { EndpointSecretsController } from './endpoints/endpoint-secrets.controller.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { ErasuresController } from './erasures/erasures.controller.js';
import { EventsController } from './events/events.controller.js';
import { IssueTicketsByBullmq } from './issue-tickets.bullmq.js';
import { IssueTickets } from './issue-tickets.js';
import { ProviderAppsController } from './provider-apps/provider-apps.controller.js';
import { EverybodysRecordsController } from './records/everybodys-records.controller.js';
import { RecordKeysController } from './records/record-keys.controller.js';
import { PendingController } from './recoveries/pending.controller.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { RecordsController } from './records/records.controller.js';
import { SourcePrioritiesController } from './records/source-priorities.controller.js';
import { UsersController } from './users/users.controller.js';

export const controllers = [
  ProviderAppsController,
  UsersController,
  RecordsController,
  RecordKeysController,
  EverybodysRecordsController,
  SourcePrioritiesController,
  ConnectSessionsController,
  ConnectCallbackController,
  ConnectionsController,
  EndpointsController,
  EndpointSecretsController,
  PendingController,
  RecoveriesController,
  EventsController,
  BackfillsController,
  DeadLettersController,
  ErasuresController,
  ChangesController,
];

@Module({})
export class ApiModule {
  static with(context: ApiContext, health: HealthOptions, backend: TicketBackend): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        HealthModule.with(health),
        BullModule.forRoot(backend.options),
        BullModule.registerQueue({ name: deliverQueue }, { name: fetchQueue }),
      ],
      controllers,
      providers: [
        { provide: API_CONTEXT, useValue: context },
        { provide: IssueTickets, useClass: IssueTicketsByBullmq },
        ApiKeyStrategy,
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_PIPE, useClass: CheckShapePipe },
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(context.log) },
      ],
    };
  }
}
