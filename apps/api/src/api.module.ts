import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { deliverQueue, fetchQueue } from '@tributary/handoffs';
import { HealthModule, type HealthOptions } from '@tributary/service-shell';
import type { TicketBackend } from '@tributary/tickets';
import { CheckShapePipe } from './answers/check-shape.pipe.js';
import { ProblemFilter } from './answers/problem.filter.js';
import { API_CONTEXT, type ApiContext } from './api-context.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { AttemptsController } from './attempts/attempts.controller.js';
import { EndpointStatsController } from './attempts/endpoint-stats.controller.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { ApiKeyStrategy } from './auth/api-key.strategy.js';
import { KnownKeys } from './auth/known-keys.js';
import { BackfillsController } from './backfills/backfills.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ConnectPagesController } from './connect-pages/connect-pages.controller.js';
import { ConnectCallbackController } from './connections/connect-callback.controller.js';
import { ConnectSessionsController } from './connections/connect-sessions.controller.js';
import { ConnectSettingsController } from './connections/connect-settings.controller.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { DemoConnectionsController } from './connections/demo-connections.controller.js';
import { GrantsController } from './connections/grants.controller.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { EndpointSecretsController } from './endpoints/endpoint-secrets.controller.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { ErasuresController } from './erasures/erasures.controller.js';
import { EventsController } from './events/events.controller.js';
import { ExplainController } from './explain/explain.controller.js';
import { ExportsController } from './exports/exports.controller.js';
import { IssueTicketsByBullmq } from './issue-tickets.bullmq.js';
import { IssueTickets } from './issue-tickets.js';
import { ProviderAppCareController } from './provider-apps/provider-app-care.controller.js';
import { ProviderAppsController } from './provider-apps/provider-apps.controller.js';
import { EverybodysRecordsController } from './records/everybodys-records.controller.js';
import { RecordKeysController } from './records/record-keys.controller.js';
import { PendingController } from './recoveries/pending.controller.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { PinnedRecordController } from './records/pinned-record.controller.js';
import { RecordsController } from './records/records.controller.js';
import { SourcePrioritiesController } from './records/source-priorities.controller.js';
import { RetentionController } from './retention/retention.controller.js';
import { AnsweredBeforeFilter } from './idempotency/answered-before.filter.js';
import { IdempotencyGuard } from './idempotency/idempotency.guard.js';
import { KeptAnswers } from './idempotency/kept-answers.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { TenantController } from './tenancy/tenant.controller.js';
import { UsersController } from './users/users.controller.js';

export const controllers = [
  TenantController,
  ApiKeysController,
  AuditLogController,
  ProviderAppsController,
  ProviderAppCareController,
  UsersController,
  RecordsController,
  PinnedRecordController,
  RecordKeysController,
  EverybodysRecordsController,
  SourcePrioritiesController,
  ConnectSessionsController,
  ConnectCallbackController,
  ConnectPagesController,
  ConnectSettingsController,
  ConnectionsController,
  GrantsController,
  DemoConnectionsController,
  EndpointsController,
  EndpointStatsController,
  AttemptsController,
  EndpointSecretsController,
  PendingController,
  RecoveriesController,
  EventsController,
  BackfillsController,
  DeadLettersController,
  ErasuresController,
  ChangesController,
  ExportsController,
  ExplainController,
  RetentionController,
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
        KnownKeys,
        ApiKeyStrategy,
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: KeptAnswers, useFactory: () => new KeptAnswers(context) },
        { provide: APP_GUARD, useClass: IdempotencyGuard },
        { provide: APP_PIPE, useClass: CheckShapePipe },
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(context.log) },
        // Later than the one for everything, and so asked before it.
        { provide: APP_FILTER, useClass: AnsweredBeforeFilter },
      ],
    };
  }
}
