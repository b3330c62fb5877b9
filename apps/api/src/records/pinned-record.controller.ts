import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiGoneResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  type Resolved,
  type ResolvedFilter,
  type ResolvedKind,
  type Sql,
  findStanding,
  listResolvedDaily,
  listResolvedMeasurements,
  listResolvedSeries,
  listResolvedSleep,
  listResolvedWorkouts,
  readDaySamples,
  readResolved,
} from '@tributary/storage';
import { mergeSamples } from '@tributary/handoffs';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { findByKey } from './find-by-key.js';
import { type PinnedQuery, pinnedQuery } from './pinned-record.js';
import { type RecordKey, anyRecord, shownKey } from './record-key.js';
import { keyOf } from './record-keys.controller.js';
import { showResolution } from './resolution.js';
import { showMeasurement, showResolvedDaily, showSeries, showSleepSession, showWorkout } from './show-record.js';

type AnyRecord = z.infer<typeof anyRecord>;

/** What there is now. */
interface Present {
  readonly record: AnyRecord | undefined;
  /** Undefined: nothing of that key was ever told. */
  readonly revision: number | undefined;
  readonly deleted: boolean;
}

@ApiTags('Records')
@Controller('v1/records/revision')
export class PinnedRecordController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({
    summary: 'Read a record as one revision of it told it: `links.self` of an event. It answers that revision or none.',
    description:
      'Only what is there now can be read, since an older value is a wrong one: once the record was replaced or deleted the answer is 410 `record_replaced` or `record_deleted`, and a later event told of it. `links.latest` reads what is there now.',
  })
  @ApiOkResponse({ standardSchema: anyRecord, description: 'The record; `record` is what the full event has.' })
  @ApiGoneResponse({ description: 'There is a newer revision.' })
  async getPinned(@TheCaller() caller: Caller, @Query({ schema: pinnedQuery }) query: PinnedQuery): Promise<AnyRecord> {
    const { revision, view, ...fields } = query;
    const { pool } = this.context;
    const { record, ...now } =
      view === 'resolved'
        ? await presentInView(pool, caller, query)
        : await presentAtSource(pool, caller, keyOf(fields as Parameters<typeof keyOf>[0]));
    if (now.revision === undefined || now.revision < revision) {
      throw new Problem('not_found', 'There is no record of that key and revision. Use "links.self" of the event as it is.');
    }
    if (now.deleted) {
      throw new Problem('record_deleted', `The record was deleted; revision ${now.revision} told so in an event of type record.deleted.`);
    }
    if (now.revision > revision || record === undefined) {
      throw new Problem(
        'record_replaced',
        `The record is at revision ${now.revision} now, and revision ${revision} is kept no more. Read "links.latest" of the event, or wait for the event of the new revision.`,
      );
    }
    return record;
  }
}

const tableOf = {
  daily: 'daily',
  sleep: 'session',
  workout: 'session',
  measurement: 'measurement',
  series: 'series',
} as const satisfies Record<RecordKey['kind'], ResolvedKind>;

async function presentAtSource(sql: Sql, caller: Caller, key: RecordKey): Promise<Present> {
  const [standing] = await findStanding(sql, caller, tableOf[key.kind], [shownKey(key)]);
  const [record] = standing === undefined || standing.deleted ? [] : await findByKey(sql, caller, [key]);
  return { record, revision: record?.revision ?? standing?.revision, deleted: standing?.deleted ?? false };
}

/** Of a metric's day, or of a session by the day and the one that stands for it. */
async function presentInView(sql: Sql, caller: Caller, query: PinnedQuery): Promise<Present> {
  const { kind, user: userId, localDate } = query;
  const session = tableOf[kind] === 'session';
  const metric = session ? (kind === 'sleep' ? 'sleep_session' : 'workout') : query.metric;
  const missing = [
    ...(localDate === undefined ? ['localDate'] : []),
    ...(metric === undefined ? ['metric'] : []),
    ...(session ? (['provider', 'sourceId', 'recordId'] as const).filter((name) => query[name] === undefined) : []),
  ];
  if (localDate === undefined || metric === undefined || missing.length > 0) {
    const faults = missing.map((path) => ({ path, message: 'is part of the key' }));
    throw new Problem('validation_failed', `This is no key of a record of kind "${kind}" in the resolved view; see "faults".`, faults);
  }
  const item = session ? [query.provider, query.sourceId, query.recordId].join('/') : '';
  const days = await readResolved(sql, caller, [{ userId, kind: tableOf[kind], metric, localDate }]);
  const held = days.find((row) => row.item === item);
  const shown = held === undefined || held.deleted ? undefined : await showInView(sql, caller, query, { metric, localDate, item });
  return { record: shown, revision: held?.revision, deleted: held?.deleted ?? false };
}

async function showInView(
  sql: Sql,
  caller: Caller,
  { kind, user: userId }: PinnedQuery,
  { metric, localDate, item }: { readonly metric: string; readonly localDate: string; readonly item: string },
): Promise<AnyRecord | undefined> {
  const filter = { userId, metric, provider: undefined, sourceId: undefined, from: localDate, to: localDate, after: undefined, limit: 500 };
  const one = async <Row>(
    list: (sql: Sql, scope: Caller, filter: ResolvedFilter) => Promise<Resolved<Row>[]>,
    show: (row: Resolved<Row>) => AnyRecord | Promise<AnyRecord>,
  ) => {
    const row = (await list(sql, caller, filter)).find((entry) => entry.item === item);
    return row && { ...(await show(row)), ...showResolution(row.resolution) };
  };
  switch (kind) {
    case 'daily':
      return one(listResolvedDaily, showResolvedDaily);
    case 'sleep':
      return one(listResolvedSleep, showSleepSession);
    case 'workout':
      return one(listResolvedWorkouts, showWorkout);
    case 'measurement':
      return one(listResolvedMeasurements, showMeasurement);
    case 'series':
      return one(listResolvedSeries, async (row) => {
        const samples = await readDaySamples(sql, caller, userId, [row]);
        return showSeries({ ...mergeSamples(row, samples), item: localDate });
      });
  }
}
