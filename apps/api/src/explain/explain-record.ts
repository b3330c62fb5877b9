import { type Scope, versionToText } from '@tributary/domain';
import {
  type ExplainedKind,
  type ExplainedPlace,
  type ExplainedState,
  type Sql,
  explainAbsences,
  explainLetters,
  explainNotices,
  explainReads,
  explainState,
  findEventOfRevision,
  listDeliveriesOfEvent,
  rowName,
} from '@tributary/storage';
import { type RecordKey, shownKey } from '../records/record-key.js';
import type { Explanation } from './explanation.js';
import { reasonsOf } from './reasons-of.js';

/** Of each kind of thing that led to a record. */
const MOST = 20;

const kinds = {
  daily: 'daily',
  sleep: 'session',
  workout: 'session',
  measurement: 'measurement',
  series: 'series',
} as const satisfies Record<RecordKey['kind'], ExplainedKind>;
const tables = { daily: 'daily_rollup', session: 'session_record', measurement: 'measurement_record', series: 'series_day' } as const;
const classes = ['live', 'backfill', 'sweep'] as const;

/** Everything that led to a record, deleted or not; undefined where there never was one of that key. */
export async function explainRecord(sql: Sql, scope: Scope, key: RecordKey): Promise<Explanation | undefined> {
  const kind = kinds[key.kind];
  const state = await explainState(sql, scope, kind, shownKey(key));
  if (state === undefined) return undefined;
  const { tenantId, environment } = scope;
  const { connectionId, documentId, localDate } = state;
  const place = { tenantId, environment, connectionId, collection: state.collection ?? '', documentId, localDate };
  const shown = {
    ...stateOf(state),
    event: await eventOf(sql, scope, state.revision),
    reads: await readsOf(sql, place),
    notices: await noticesOf(sql, place),
    absences: (await explainAbsences(sql, place, nameOf(kind, key))).map((one) => ({
      firstLackedAt: one.firstLackedAt.toISOString(),
      confirmed: one.confirmed,
    })),
    deadLetters: (await explainLetters(sql, place, MOST)).map((letter) => ({
      id: letter.id,
      bucket: letter.bucket,
      code: letter.code,
      openedAt: letter.openedAt.toISOString(),
      closedAt: letter.closedAt?.toISOString() ?? null,
    })),
  };
  return { reasons: reasonsOf(shown), ...shown };
}

function stateOf(state: ExplainedState): Pick<Explanation, 'value' | 'date' | 'look'> {
  const { version, providerVersion, contentHash, createdAt, updatedAt } = state;
  return {
    value: {
      revision: state.revision,
      deleted: state.deleted,
      deleteReason: state.deleteReason,
      version: versionToText(version),
      inferred: state.inferred,
      providerVersion: versionOrNull(providerVersion),
      clockDomain: state.clockDomain,
      versionEpoch: state.versionEpoch,
      provisional: state.provisional,
      unsettled: state.unsettled,
      doubted: state.doubted,
      contentHash: contentHash.toString('hex'),
      normalizerVersion: state.normalizerVersion,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    },
    date: {
      localDate: state.localDate,
      dateBasis: state.dateBasis,
      dayModel: state.dayModel,
      utcOffsetS: state.utcOffsetS,
      timeZone: state.timeZone,
      providerDate: state.providerDate,
    },
    look: {
      connectionId: state.connectionId,
      collection: state.collection,
      documentId: state.documentId,
      via: state.via,
      complete: state.complete,
      trueFrom: new Date(state.freshFrom).toISOString(),
      trueTo: new Date(state.freshTo).toISOString(),
      coverageEnd: state.coverageEnd === null ? null : new Date(state.coverageEnd).toISOString(),
      coverage: state.coverage,
      takenAt: state.ingestedAt === 0 ? null : new Date(state.ingestedAt).toISOString(),
    },
  };
}

async function eventOf(sql: Sql, scope: Scope, revision: number): Promise<Explanation['event']> {
  const event = await findEventOfRevision(sql, scope, revision);
  if (event === undefined) return null;
  const deliveries = await listDeliveriesOfEvent(sql, scope, event.id);
  return {
    id: event.id,
    type: event.type,
    occurredAt: event.occurredAt.toISOString(),
    deliveries: deliveries.map(({ endpointId, state, attempts, endedAt }) => ({
      endpointId,
      state,
      attempts,
      endedAt: endedAt?.toISOString() ?? null,
    })),
  };
}

async function readsOf(sql: Sql, place: ExplainedPlace): Promise<Explanation['reads']> {
  return (await explainReads(sql, place, MOST)).map((read) => ({
    window: { kind: read.windowKind, start: read.windowStart, end: read.windowEnd },
    state: read.state,
    class: classes[read.priority] ?? 'sweep',
    notices: read.notices,
    fetches: read.fetches,
    attempts: read.attempts,
    readAt: versionOrNull(read.readVersion),
    requestedVersion: versionOrNull(read.requestedVersion),
    coveredVersion: versionOrNull(read.coveredVersion),
    waitsAgain: read.dirty,
    lastError: read.lastError,
    firstRequestedAt: read.firstRequestedAt.toISOString(),
    dueAt: read.dueAt.toISOString(),
    settledAt: read.settledAt?.toISOString() ?? null,
  }));
}

async function noticesOf(sql: Sql, place: ExplainedPlace): Promise<Explanation['notices']> {
  return (await explainNotices(sql, place, MOST)).map((notice) => ({
    kind: notice.kind,
    status: notice.status,
    window: { kind: notice.windowKind, start: notice.windowStart, end: notice.windowEnd },
    version: versionOrNull(notice.version),
    receivedAt: notice.noticedAt.toISOString(),
    delivery: {
      receivedAt: notice.receivedAt.toISOString(),
      signedAt: notice.signedAt?.toISOString() ?? null,
      grade: notice.grade,
      bodyHash: notice.bodyHash.toString('hex'),
      bodyKept: notice.bodyKept,
    },
  }));
}

function versionOrNull(version: number | null): string | null {
  return version === null ? null : versionToText(version);
}

/** As absences name the row. */
function nameOf(kind: ExplainedKind, key: RecordKey): string {
  const { metric, sourceId, item } = shownKey(key);
  const row = { table: tables[kind], metric, kind: metric, sourceId, item, recordId: item, localDate: item };
  return rowName(row as Parameters<typeof rowName>[0]);
}
