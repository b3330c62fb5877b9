export type { Sql, Statement } from './sql.js';
export { type ConnectOptions, type Database, connect } from './connect.js';
export { inTransaction } from './in-transaction.js';
export { type PgArrayType, pgArray } from './pg-array.js';
export { type ClaimedDelivery, type DeliveryClaim, claimDeliveries } from './deliveries/claim-deliveries.js';
export { type SealedEndpointSecret, readEndpointSecrets } from './deliveries/read-endpoint-secrets.js';
export {
  type DeliveryAttempt,
  type DeliveryResult,
  type RecordedSlice,
  type SliceResults,
  recordResults,
} from './deliveries/record-results.js';
export { type DisableReason, disableEndpoint } from './deliveries/disable-endpoint.js';
export { endRest } from './endpoints/end-rest.js';
export { lockEvents } from './deliveries/lock-events.js';
export { type HeldClaim, findStillHeld } from './deliveries/find-still-held.js';
export { holdEventsOfPerson } from './deliveries/hold-events-of-person.js';
export { holdOwedOfPerson } from './deliveries/hold-owed-of-person.js';
export { isUnderWay } from './deliveries/is-under-way.js';
export { letGoOfErased } from './deliveries/let-go-of-erased.js';
export { takeLeasesAway } from './deliveries/take-leases-away.js';
export { scrubToldErasures } from './deliveries/scrub-told-erasures.js';
export { findDueEndpoints } from './deliveries/find-due-endpoints.js';
export { ATTEMPT_DAYS, type KeptAttemptPartitions, keepAttemptPartitions } from './attempts/keep-attempt-partitions.js';
export {
  type AttemptPlace,
  type AttemptSearch,
  type FoundAttemptRow,
  type StatusClass,
  searchAttempts,
  statusClasses,
} from './attempts/search-attempts.js';
export { type AttemptCount, type AttemptDurations, type AttemptsOf, countAttempts } from './attempts/count-attempts.js';
export { type Backlog, readBacklog } from './attempts/read-backlog.js';
export { type EndpointTerms, readEndpointTerms } from './deliveries/read-endpoint-terms.js';
export { writePace } from './deliveries/write-pace.js';
export { takeProbe } from './deliveries/take-probe.js';
export { takeRate } from './deliveries/take-rate.js';
export { giveBackRate } from './deliveries/give-back-rate.js';
export { warnOfEndpoint } from './deliveries/warn-of-endpoint.js';
export { withholdEvent } from './deliveries/withhold-event.js';
export { lockTurns } from './deliveries/lock-turns.js';
export { fileTurns } from './deliveries/file-turns.js';
export { claimTurns } from './deliveries/claim-turns.js';
export { releaseTurns } from './deliveries/release-turns.js';
export { type NewTenant, insertTenant } from './tenants/insert-tenant.js';
export { type NewApiKey, insertApiKey } from './tenants/insert-api-key.js';
export { type StoredApiKey, findApiKey } from './tenants/find-api-key.js';
export { touchApiKey } from './tenants/touch-api-key.js';
export { type ApiKeyRow, listApiKeys } from './tenants/list-api-keys.js';
export { revokeApiKey } from './tenants/revoke-api-key.js';
export { type TenantRow, findTenant } from './tenants/find-tenant.js';
export { type VisibleRows } from './tenants/scoped-client.js';
export { type Connections, scopedPool } from './tenants/scoped-pool.js';
export { type AuditEntry, insertAuditEntry } from './audit/insert-audit-entry.js';
export { type AuditFilter, type AuditRow, listAuditEntries } from './audit/list-audit-entries.js';
export { type AnswerClaim, type AnswerKey, type ClaimedAnswer, claimAnswer } from './idempotency/claim-answer.js';
export { type NewAnswer, keepAnswer } from './idempotency/keep-answer.js';
export { dropClaim } from './idempotency/drop-claim.js';
export { endKeptAnswers } from './idempotency/end-kept-answers.js';
export { type NewProviderApp, insertProviderApp } from './provider-apps/insert-provider-app.js';
export { type ProviderAppRow, type ShownProviderApp, findProviderApp } from './provider-apps/find-provider-app.js';
export { chooseProviderApp } from './provider-apps/choose-provider-app.js';
export { listProviderApps } from './provider-apps/list-provider-apps.js';
export { type SealedSecret, loadLiveSecrets } from './provider-apps/load-live-secrets.js';
export { type AddedSecret, addProviderAppSecret } from './provider-apps/add-provider-app-secret.js';
export { type UpkeepLease, startUpkeep } from './provider-apps/start-upkeep.js';
export { type ClaimedUpkeep, type UpkeepClaim, claimUpkeep } from './provider-apps/claim-upkeep.js';
export { type UpkeepOutcome, endUpkeep } from './provider-apps/end-upkeep.js';
export { adoptUpkeep } from './provider-apps/adopt-upkeep.js';
export { beginUpkeep } from './provider-apps/begin-upkeep.js';
export { type ListedSecret, listProviderAppSecrets } from './provider-apps/list-provider-app-secrets.js';
export { type ProviderAppChange, updateProviderApp } from './provider-apps/update-provider-app.js';
export { countGrantsOfApp } from './provider-apps/count-grants-of-app.js';
export { deleteProviderApp } from './provider-apps/delete-provider-app.js';
export { findDemoApp } from './provider-apps/find-demo-app.js';
export { hastenSweeps } from './provider-apps/hasten-sweeps.js';
export { type NewUser, insertUser } from './users/insert-user.js';
export { type UserRow, findUser } from './users/find-user.js';
export { findUserByExternalId } from './users/find-user-by-external-id.js';
export { listUsers } from './users/list-users.js';
export type { EndpointRow } from './endpoints/endpoint-row.js';
export type { EndpointSettings } from './endpoints/endpoint-settings.js';
export { findEndpoint } from './endpoints/find-endpoint.js';
export { holdNamedUsers } from './endpoints/hold-named-users.js';
export { listEndpoints } from './endpoints/list-endpoints.js';
export { type NewEndpoint, insertEndpoint } from './endpoints/insert-endpoint.js';
export { type EndpointChange, updateEndpoint } from './endpoints/update-endpoint.js';
export { lockEndpoint } from './endpoints/lock-endpoint.js';
export { deleteEndpoint } from './endpoints/delete-endpoint.js';
export { cancelDeliveries } from './endpoints/cancel-deliveries.js';
export { type AddedEndpointSecret, addEndpointSecret } from './endpoints/add-endpoint-secret.js';
export { type NewConnectSession, insertConnectSession } from './connections/insert-connect-session.js';
export { type TakenConnectSession, takeConnectSession } from './connections/take-connect-session.js';
export { type ConsentEnd, endConnectSession } from './connections/end-connect-session.js';
export { type NewConnectLink, insertConnectLink } from './connections/insert-connect-link.js';
export { type ConnectLink, findConnectLink } from './connections/find-connect-link.js';
export { bindConnectLink } from './connections/bind-connect-link.js';
export { endConnectLink } from './connections/end-connect-link.js';
export { type EndedConsent, findLastConsent } from './connections/find-last-consent.js';
export { type Connectable, listConnectable } from './connections/list-connectable.js';
export { findReturnUrls } from './connections/find-return-urls.js';
export { setReturnUrls } from './connections/set-return-urls.js';
export { subjectIsErased } from './connections/subject-is-erased.js';
export { noteRefresh } from './connections/note-refresh.js';
export { openRecentWindows } from './connections/open-recent-windows.js';
export { type HeldGrant, listGrants } from './connections/list-grants.js';
export { lockUser } from './connections/lock-user.js';
export { type HeldConnection, lockConnectionOfUser } from './connections/lock-connection-of-user.js';
export { awaitTokenRefresh } from './connections/await-token-refresh.js';
export { type GrantedConnection, saveConnection } from './connections/save-connection.js';
export { liftTombstones } from './connections/lift-tombstones.js';
export type { ConnectionRow } from './connections/shown-connection.js';
export { findConnection } from './connections/find-connection.js';
export { type ConnectionFilter, listConnections } from './connections/list-connections.js';
export { subjectIsShared } from './connections/subject-is-shared.js';
export { type LockedConnection, lockConnection } from './connections/lock-connection.js';
export { endConnection } from './connections/end-connection.js';
export { forgetGrant } from './connections/forget-grant.js';
export { deleteWindows } from './connections/delete-windows.js';
export { type OwedDays, openFirstWindows } from './connections/open-first-windows.js';
export { resumeWindows } from './connections/resume-windows.js';
export type { DailyValueRow } from './reading/daily-value-row.js';
export { listDailyValues } from './reading/list-daily-values.js';
export {
  type SessionFilter,
  type SessionShown,
  type SleepShown,
  type WorkoutShown,
  listSleepSessions,
  listWorkouts,
} from './reading/list-sessions.js';
export type { ShownDatum } from './reading/shown-datum.js';
export type { RecordFilter } from './reading/record-conditions.js';
export { type Found, type ShownKey, findDailyValues, findMeasurements, findSeries, findSessions } from './reading/find-records.js';
export { type Reach, readReach } from './reading/read-reach.js';
export { type MeasurementShown, listMeasurements } from './reading/list-measurements.js';
export { type SeriesFilter, type SeriesShown, listSeries } from './reading/list-series.js';
export { type EventRow, findEvent } from './reading/find-event.js';
export { type EventFilter, listEvents } from './reading/list-events.js';
export { type EventDeliveryRow, listDeliveriesOfEvent } from './reading/list-deliveries-of-event.js';
export { type AttemptFilter, type AttemptRow, listAttemptsOfEvent } from './reading/list-attempts-of-event.js';
export { type ChangesFilter, type ReadChanges, readChanges } from './changes/read-changes.js';
export { type ReplayedAt, replayEvent } from './reading/replay-event.js';
export type { DeadLetterFilter } from './dead-letters/dead-letter-filter.js';
export { type ReplayableCount, countReplayable } from './dead-letters/count-replayable.js';
export { type ReplayedLetters, replayDeadLetters } from './dead-letters/replay-dead-letters.js';
export { repullDrift } from './dead-letters/repull-drift.js';
export { discardDeadLetter } from './dead-letters/discard-dead-letter.js';
export { type DeadLetterPage, type DeadLetterRow, listDeadLetters } from './reading/list-dead-letters.js';
export { type DeadLetterGroup, type DeadLetterSummary, summariseDeadLetters } from './reading/summarise-dead-letters.js';
export { lockPerson } from './erasure/lock-person.js';
export { type Tombstone, writeTombstones } from './erasure/write-tombstones.js';
export { type LockedGrant, lockGrants } from './erasure/lock-grants.js';
export { type ErasureRow, findErasure } from './erasure/find-erasure.js';
export { type NewErasure, insertErasure } from './erasure/insert-erasure.js';
export { type Purge, holdsNobody, purges } from './erasure/registry.js';
export { purgeTable } from './erasure/purge-table.js';
export { drawRevisions } from './events/draw-revisions.js';
export { type Announcement, announceEvent } from './events/announce-event.js';
export { type NewRevocation, insertRevocation } from './revocations/insert-revocation.js';
export { type FiledNotices, fileNotices } from './windows/file-notices.js';
export type { LeasedWindow, WindowKey } from './windows/window-key.js';
export { type ClaimSize, type ClaimedWindow, claimWindows } from './windows/claim-windows.js';
export { extendLeases } from './windows/extend-leases.js';
export { holdWindow } from './windows/hold-window.js';
export { findDocumentsOfDays } from './reads/find-documents-of-days.js';
export { findDocumentsOfSpan } from './reads/find-documents-of-span.js';
export { loadCarried } from './windows/load-carried.js';
export { deletionWasTold } from './windows/deletion-was-told.js';
export { holdWindows } from './windows/hold-windows.js';
export { type Settlement, settleWindows } from './windows/settle-windows.js';
export { type SettlingWindow, planSettling } from './windows/plan-settling.js';
export { type Postponement, postponeWindow } from './windows/postpone-window.js';
export { type Letter, buryWindow } from './windows/bury-window.js';
export { parkWindow } from './windows/park-window.js';
export { endIsTold } from './windows/end-is-told.js';
export { parkConnectionWindows } from './windows/park-connection-windows.js';
export { tryScanLock } from './windows/try-scan-lock.js';
export { findDueLanes } from './windows/find-due-lanes.js';
export { findUnfiled } from './windows/find-unfiled.js';
export { type ReadDocument, findNewerReads } from './windows/find-newer-reads.js';
export { type SweptCollection, planSweeps } from './windows/plan-sweeps.js';
export { markSwept } from './windows/mark-swept.js';
export { type NewBackfill, type NewBackfillPart, insertBackfill } from './backfills/insert-backfill.js';
export { openBackfillWindows } from './backfills/open-backfill-windows.js';
export { type WindowEnd, advanceBackfill } from './backfills/advance-backfill.js';
export { claimBackfills } from './backfills/claim-backfills.js';
export type { BackfillPartRow, BackfillRow } from './backfills/shown-backfill.js';
export { type HistorySettings, findHistorySettings } from './backfills/find-history-settings.js';
export { findBackfill } from './backfills/find-backfill.js';
export { findRunningBackfill } from './backfills/find-running-backfill.js';
export { type BackfillFilter, listBackfills } from './backfills/list-backfills.js';
export { listBackfilledCollections } from './backfills/list-backfilled-collections.js';
export { listUnpermittedParts } from './backfills/list-unpermitted-parts.js';
export { endBackfill } from './backfills/end-backfill.js';
export type {
  DailyRow,
  HeldRow,
  MeasurementRow,
  Owned,
  RecordKey,
  RecordOwner,
  RecordRow,
  Removed,
  Revised,
  RowWrite,
  SeriesRow,
  SleepRow,
  StoredDatum,
  Touched,
  WorkoutRow,
} from './records/record-row.js';
export { type RecordTable, recordTables, rowName } from './records/record-table.js';
export { lockPeople } from './records/lock-people.js';
export { type Standing, readHeld } from './records/read-held.js';
export { type HeldDocument, readHeldOfDocuments } from './records/read-held-of-documents.js';
export { readSamples } from './records/read-samples.js';
export { upsertRows } from './records/upsert-rows.js';
export { replaceRows } from './records/replace-rows.js';
export { touchRows } from './records/touch-rows.js';
export { removeRows } from './records/remove-rows.js';
export { type RowOfDays, type DaysOfCollection, readHeldOfDays } from './reads/held-of-days.js';
export { holdConnection } from './reads/hold-connection.js';
export { type Withdrawal, type WithdrawalGround, withdrawRows } from './reads/withdraw-rows.js';
export { forgetMissing } from './reads/forget-missing.js';
export { type MissingRow, readMissing } from './reads/read-missing.js';
export { type LackingRead, type NewlyMissing, noteMissing } from './reads/note-missing.js';
export { type Look, openLook } from './reads/open-look.js';
export { type ConfirmedMissing, readConfirmedMissing } from './reads/read-confirmed-missing.js';
export { endMissing } from './reads/end-missing.js';
export { type RowCounts, countRows } from './reads/count-rows.js';
export { setScopes } from './reads/set-scopes.js';
export { narrowScopes } from './reads/narrow-scopes.js';
export { dropScope } from './reads/drop-scope.js';
export { type CollectionsOfConnection, readRowsOfCollections } from './reads/read-rows-of-collections.js';
export { readHiddenRows } from './reads/read-hidden-rows.js';
export { showRows } from './reads/show-rows.js';
export { parkCollections } from './reads/park-collections.js';
export { resumeCollections } from './reads/resume-collections.js';
export { endPermissions } from './reads/end-permissions.js';
export { type DailyOfDocument, type MovedDaily, findMovedDaily } from './reads/find-moved-daily.js';
export { type HeldSession, type SessionInTime, findOverlappingSessions } from './reads/find-overlapping-sessions.js';
export { closeAbsenceLetters } from './reads/close-absence-letters.js';
export { openObjectLooks } from './reads/open-object-looks.js';
export { type AbsenceLetter, openAbsenceLetter } from './reads/open-absence-letter.js';
export { type ConnectionStanding, loadStanding } from './whereabouts/load-standing.js';
export { learnZone } from './whereabouts/learn-zone.js';
export { setFallbackZone } from './whereabouts/set-fallback-zone.js';
export { openStandingWindows } from './whereabouts/open-standing-windows.js';
export type { StoredRow } from './whereabouts/stored-row.js';
export { readWeaklyDated } from './whereabouts/read-weakly-dated.js';
export { type Redating, redateRows } from './whereabouts/redate-rows.js';
export { type Move, moveDailyRows } from './whereabouts/move-daily-rows.js';
export { type DayTaken, readDaysTaken } from './whereabouts/read-days-taken.js';
export { endRedating } from './whereabouts/end-redating.js';
export { type EventSubjects, type NewEvent, insertEvents } from './events/insert-events.js';
export { type FilteredBy, endpointTakes } from './events/endpoint-takes.js';
export { findLiveSessions } from './resolved/find-live-sessions.js';
export { viewIsWanted } from './resolved/view-is-wanted.js';
export { readExternalIds } from './resolved/read-external-ids.js';
export { type StandingRecord, findStanding } from './resolved/find-standing.js';
export { type TakersOf, findTakers } from './events/find-takers.js';
export { type BudgetOwner, type StoredBucket, type StoredBuckets, lockBuckets } from './budgets/lock-buckets.js';
export { type NewBucket, addBuckets } from './budgets/add-buckets.js';
export { saveBuckets } from './budgets/save-buckets.js';
export { type HeldBack, holdBackApp } from './budgets/hold-back-app.js';
export { holdBackConnection } from './budgets/hold-back-connection.js';
export { type HeldTokens, lockConnectionTokens } from './tokens/lock-connection-tokens.js';
export { limitLockWait } from './tokens/limit-lock-wait.js';
export { type SealedTokens, storeTokens } from './tokens/store-tokens.js';
export { requireReauth } from './tokens/require-reauth.js';
export { type ClaimedRevocation, claimRevocations } from './revocations/claim-revocations.js';
export { endRevocation } from './revocations/end-revocation.js';
export { postponeRevocation } from './revocations/postpone-revocation.js';
export { type IngestApp, type IngestSecret, findAppByKey } from './ingest/find-app-by-key.js';
export { markHandshaken } from './ingest/mark-handshaken.js';
export { activateApp } from './ingest/activate-app.js';
export { type UnreadableDelivery, openBodyDeadLetter } from './ingest/open-body-dead-letter.js';
export { type Acceptance, acceptDeliveries } from './ingest/accept-deliveries.js';
export type { NewDelivery, NewNotice } from './ingest/new-delivery.js';
export { type NamedDelivery, deliveryKey } from './ingest/delivery-key.js';
export { type KeptPartitions, WEBHOOK_PERIOD_DAYS, keepPartitions } from './ingest/keep-partitions.js';
export { subjectIsHeld } from './connections/subject-is-held.js';
export type {
  ResolvedKind,
  Resolution,
  ResolvedChange,
  ResolvedKey,
  ResolvedRow,
  ResolvedState,
  SourceRef,
  StoredPriority,
  TouchedDay,
} from './resolved/resolved-row.js';
export type { CandidateRow } from './resolved/candidate-row.js';
export { findUnresolved } from './resolved/find-unresolved.js';
export { type ResolvedProgress, holdProgress } from './resolved/hold-progress.js';
export { moveProgress } from './resolved/move-progress.js';
export { type TouchedDays, readTouched } from './resolved/read-touched.js';
export { readDueAgain } from './resolved/read-due-again.js';
export { postponeAgain } from './resolved/postpone-again.js';
export { type Renewal, readRenewal } from './resolved/read-renewal.js';
export { endRenewalPart } from './resolved/end-renewal-part.js';
export { insertRenewal } from './resolved/insert-renewal.js';
export { holdPeople } from './resolved/hold-people.js';
export { readPriorities } from './resolved/read-priorities.js';
export { savePriority } from './resolved/save-priority.js';
export { deletePriority } from './resolved/delete-priority.js';
export { type DailyCandidateRow, readDailyCandidates } from './resolved/read-daily-candidates.js';
export { type SessionCandidateRow, type SessionDay, readSessionCandidates } from './resolved/read-session-candidates.js';
export { type MeasurementCandidateRow, readMeasurementCandidates } from './resolved/read-measurement-candidates.js';
export { type SeriesCandidateRow, readSeriesCandidates } from './resolved/read-series-candidates.js';
export { type IntradayRow, readIntraday } from './resolved/read-intraday.js';
export { readResolved } from './resolved/read-resolved.js';
export { writeResolved } from './resolved/write-resolved.js';
export {
  type Resolved,
  type ResolvedFilter,
  listResolvedDaily,
  listResolvedMeasurements,
  listResolvedSeries,
  listResolvedSleep,
  listResolvedWorkouts,
} from './resolved/list-resolved.js';
export { type DaySamples, readDaySamples } from './resolved/read-day-samples.js';
export { type SealedColumn, notResealed, sealedColumns } from './sealing/sealed-columns.js';
export { type OtherwiseSealed, findOtherwiseSealed } from './sealing/find-otherwise-sealed.js';
export { replaceSealed } from './sealing/replace-sealed.js';
export type { RecoveredState, RecoveryReach, RecoveryRow, RecoveryWish } from './recoveries/recovery.js';
export { recoveryPace } from './recoveries/recovery-pace.js';
export { countRecovered } from './recoveries/count-recovered.js';
export { findReach } from './recoveries/find-reach.js';
export { type NewRecovery, insertRecovery } from './recoveries/insert-recovery.js';
export { findRecovery } from './recoveries/find-recovery.js';
export { type RecoveryFilter, listRecoveries } from './recoveries/list-recoveries.js';
export { lockRecoveries } from './recoveries/lock-recoveries.js';
export { countRunningRecoveries } from './recoveries/count-running-recoveries.js';
export { endRecovery } from './recoveries/end-recovery.js';
export { claimRecovery } from './recoveries/claim-recovery.js';
export { type RecoverySlice, readRecoverySlice } from './recoveries/read-recovery-slice.js';
export { findBusyEndpoints } from './recoveries/find-busy-endpoints.js';
export { type RecoveredPairs, oweRecovered } from './recoveries/owe-recovered.js';
export { type RecoveryStep, advanceRecovery } from './recoveries/advance-recovery.js';
export { type PendingFilter, cancelPending } from './recoveries/cancel-pending.js';
export { type EndpointSecretRow, listEndpointSecrets } from './endpoints/list-endpoint-secrets.js';
export { type NewEndpointSecret, insertEndpointSecret } from './endpoints/insert-endpoint-secret.js';
export { deleteEndpointSecret } from './endpoints/delete-endpoint-secret.js';
export type { KeptEnvironment, Retention } from './retention/retention.js';
export { findRetention } from './retention/find-retention.js';
export { saveRetention } from './retention/save-retention.js';
export { listKeptEnvironments } from './retention/list-kept-environments.js';
export { tryRetentionLock } from './retention/try-retention-lock.js';
export { clearBodies } from './retention/clear-bodies.js';
export { dropOldEvents } from './retention/drop-old-events.js';
export { dropOldRecords } from './retention/drop-old-records.js';
export { type ExplainedKind, type ExplainedState, explainState } from './explain/explain-state.js';
export type { ExplainedPlace } from './explain/about-record.js';
export { type ExplainedRead, explainReads } from './explain/explain-reads.js';
export { type ExplainedNotice, explainNotices } from './explain/explain-notices.js';
export { type ExplainedAbsence, explainAbsences } from './explain/explain-absences.js';
export { type ExplainedLetter, explainLetters } from './explain/explain-letters.js';
export { type EventOfRevision, findEventOfRevision } from './explain/find-event-of-revision.js';
export { type HeldStore, heldStores } from './exports/held-stores.js';
export { type StoreColumns, readStoreColumns } from './exports/read-store-columns.js';
export { type ExportedRow, readHeldRows } from './exports/read-held-rows.js';
