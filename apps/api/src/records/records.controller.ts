import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { ListRecords } from './list-records.js';
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

@ApiTags('Records')
@Controller('v1/users/:id')
export class RecordsController {
  readonly #lists: ListRecords;

  constructor(@Inject(API_CONTEXT) context: ApiContext) {
    this.#lists = new ListRecords(context);
  }

  @Get('daily')
  @ApiOperation({ summary: 'Read daily values: one for each metric, day and source. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: dailyValuePage, description: 'Oldest day first.' })
  listDaily(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: dailyQuery }) query: z.infer<typeof dailyQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('daily', { caller, userId, query }, request, reply);
  }

  @Get('sleep')
  @ApiOperation({ summary: 'Read nights and naps, by the day of waking. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: sleepSessionPage, description: 'Oldest night first.' })
  listSleep(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('sleep', { caller, userId, query }, request, reply);
  }

  @Get('workouts')
  @ApiOperation({ summary: 'Read workouts, by the day of their start. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: workoutPage, description: 'Oldest day first.' })
  listWorkouts(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('workouts', { caller, userId, query }, request, reply);
  }

  @Get('measurements')
  @ApiOperation({ summary: 'Read single measurements, such as weighings. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: measurementPage, description: 'Oldest day first.' })
  listMeasurements(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: measurementQuery }) query: z.infer<typeof measurementQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('measurements', { caller, userId, query }, request, reply);
  }

  @Get('series')
  @ApiOperation({ summary: 'Read samples: all of one metric, day and source, or of one workout. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: seriesPage, description: 'Oldest day first.' })
  listSeries(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('usr') }) userId: string,
    @Query({ schema: seriesQuery }) query: z.infer<typeof seriesQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('series', { caller, userId, query }, request, reply);
  }
}
