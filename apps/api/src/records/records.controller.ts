import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  findUser,
  listDailyValues,
  listMeasurements,
  listResolvedDaily,
  listResolvedMeasurements,
  listResolvedSeries,
  listResolvedSleep,
  listResolvedWorkouts,
  listSeries,
  listSleepSessions,
  listWorkouts,
  readDaySamples,
} from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import {
  dailyQuery,
  dailyValuePage,
  measurementPage,
  measurementQuery,
  seriesPage,
  seriesQuery,
  sessionQuery,
  sleepSessionPage,
  workoutPage,
} from './record.js';
import { mergeSamples } from './merge-samples.js';
import { ResolvedLists } from './resolved-lists.js';
import { showDailyValue, showMeasurement, showResolvedDaily, showSeries, showSleepSession, showWorkout } from './show-record.js';

type PlaceOfFour = [string, string, string, string];
const placeOfFour = z.tuple([z.string(), z.string(), z.string(), z.string()]);
type PlaceOfFive = [string, string, string, string, string];
const placeOfFive = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]);

@ApiTags('Records')
@Controller('v1/users/:id')
export class RecordsController {
  readonly #dailyPager: Pager<PlaceOfFour>;
  readonly #sleepPager: Pager<PlaceOfFour>;
  readonly #workoutPager: Pager<PlaceOfFour>;
  readonly #measurementPager: Pager<PlaceOfFive>;
  readonly #seriesPager: Pager<PlaceOfFive>;
  readonly #resolved: ResolvedLists;

  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {
    this.#dailyPager = new Pager(context.keys, 'daily', placeOfFour);
    this.#sleepPager = new Pager(context.keys, 'sleep', placeOfFour);
    this.#workoutPager = new Pager(context.keys, 'workouts', placeOfFour);
    this.#measurementPager = new Pager(context.keys, 'measurements', placeOfFive);
    this.#seriesPager = new Pager(context.keys, 'series', placeOfFive);
    this.#resolved = new ResolvedLists(context);
  }

  @Get('daily')
  @ApiOperation({ summary: 'Read daily values: one for each metric, day and source. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: dailyValuePage, description: 'Oldest day first.' })
  async listDaily(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: dailyQuery }) query: z.infer<typeof dailyQuery>,
  ): Promise<z.infer<typeof dailyValuePage>> {
    const { cursor, limit, metric, provider, sourceId, from, to } = query;
    await this.#check(caller, userId, query);
    if (query.view === 'resolved') return this.#resolved.page(caller, userId, query, { list: listResolvedDaily, show: showResolvedDaily });
    const after = this.#dailyPager.placeOf(caller, cursor);
    const rows = await listDailyValues(this.context.pool, caller, {
      userId,
      metric,
      provider,
      sourceId,
      from,
      to,
      after,
      limit: limit + 1,
    });
    return this.#dailyPager.page(caller, rows, limit, {
      entry: showDailyValue,
      place: (row) => [row.localDate, row.metric, row.provider, row.sourceId],
    });
  }

  @Get('sleep')
  @ApiOperation({ summary: 'Read nights and naps, by the day of waking. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: sleepSessionPage, description: 'Oldest night first.' })
  async listSleep(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
  ): Promise<z.infer<typeof sleepSessionPage>> {
    const { cursor, limit, provider, sourceId, from, to } = query;
    await this.#check(caller, userId, query);
    if (query.view === 'resolved') return this.#resolved.page(caller, userId, query, { list: listResolvedSleep, show: showSleepSession });
    const after = this.#sleepPager.placeOf(caller, cursor);
    const rows = await listSleepSessions(this.context.pool, caller, { userId, provider, sourceId, from, to, after, limit: limit + 1 });
    return this.#sleepPager.page(caller, rows, limit, {
      entry: showSleepSession,
      place: (row) => [row.localDate, row.provider, row.sourceId, row.recordId],
    });
  }

  @Get('workouts')
  @ApiOperation({ summary: 'Read workouts, by the day of their start. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: workoutPage, description: 'Oldest day first.' })
  async listWorkouts(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
  ): Promise<z.infer<typeof workoutPage>> {
    const { cursor, limit, provider, sourceId, from, to } = query;
    await this.#check(caller, userId, query);
    if (query.view === 'resolved') return this.#resolved.page(caller, userId, query, { list: listResolvedWorkouts, show: showWorkout });
    const after = this.#workoutPager.placeOf(caller, cursor);
    const rows = await listWorkouts(this.context.pool, caller, { userId, provider, sourceId, from, to, after, limit: limit + 1 });
    return this.#workoutPager.page(caller, rows, limit, {
      entry: showWorkout,
      place: (row) => [row.localDate, row.provider, row.sourceId, row.recordId],
    });
  }

  @Get('measurements')
  @ApiOperation({ summary: 'Read single measurements, such as weighings. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: measurementPage, description: 'Oldest day first.' })
  async listMeasurements(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: measurementQuery }) query: z.infer<typeof measurementQuery>,
  ): Promise<z.infer<typeof measurementPage>> {
    const { cursor, limit, ...narrow } = query;
    await this.#check(caller, userId, query);
    if (query.view === 'resolved')
      return this.#resolved.page(caller, userId, query, { list: listResolvedMeasurements, show: showMeasurement });
    const after = this.#measurementPager.placeOf(caller, cursor);
    const rows = await listMeasurements(this.context.pool, caller, { ...narrowed(narrow), userId, after, limit: limit + 1 });
    return this.#measurementPager.page(caller, rows, limit, {
      entry: showMeasurement,
      place: (row) => [row.localDate, row.metric, row.provider, row.sourceId, row.recordId],
    });
  }

  @Get('series')
  @ApiOperation({ summary: 'Read samples: all of one metric, day and source, or of one workout. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: seriesPage, description: 'Oldest day first.' })
  async listSeries(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: seriesQuery }) query: z.infer<typeof seriesQuery>,
  ): Promise<z.infer<typeof seriesPage>> {
    const { cursor, limit, workoutId, ...narrow } = query;
    await this.#check(caller, userId, query);
    if (query.view === 'resolved') {
      const list: typeof listResolvedSeries = async (sql, scope, filter) => {
        const rows = await listResolvedSeries(sql, scope, filter);
        const samples = await readDaySamples(sql, scope, userId, rows);
        return rows.map((row) => mergeSamples(row, samples));
      };
      return this.#resolved.page(caller, userId, query, { list, show: (row) => showSeries({ ...row, item: row.localDate }) });
    }
    const after = this.#seriesPager.placeOf(caller, cursor);
    const rows = await listSeries(this.context.pool, caller, { ...narrowed(narrow), workoutId, userId, after, limit: limit + 1 });
    return this.#seriesPager.page(caller, rows, limit, {
      entry: showSeries,
      place: (row) => [row.localDate, row.metric, row.provider, row.sourceId, row.item],
    });
  }

  async #check(caller: Caller, userId: string, { from, to }: { from?: string | undefined; to?: string | undefined }): Promise<void> {
    if (from !== undefined && to !== undefined && from > to) {
      throw new Problem('validation_failed', 'The days are the wrong way round; see "faults".', [
        { path: 'to', message: 'is before "from"' },
      ]);
    }
    if ((await findUser(this.context.pool, caller, userId)) === undefined) throw new Problem('not_found', 'There is no user of that id.');
  }
}

interface Narrow {
  readonly metric?: string | undefined;
  readonly provider?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function narrowed({ metric, provider, sourceId, from, to }: Narrow) {
  return { metric, provider, sourceId, from, to };
}
