import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type z } from 'zod';
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
@Controller('v1')
export class EverybodysRecordsController {
  readonly #lists: ListRecords;

  constructor(@Inject(API_CONTEXT) context: ApiContext) {
    this.#lists = new ListRecords(context);
  }

  @Get('daily')
  @ApiOperation({ summary: 'Read the daily values of all users: one for each user, metric, day and source. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: dailyValuePage, description: 'User by user, each from the oldest day on.' })
  listEverybodysDaily(
    @TheCaller() caller: Caller,
    @Query({ schema: dailyQuery }) query: z.infer<typeof dailyQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('daily', { caller, userId: undefined, query }, request, reply);
  }

  @Get('sleep')
  @ApiOperation({ summary: 'Read the nights and naps of all users, by the day of waking. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: sleepSessionPage, description: 'User by user, each from the oldest night on.' })
  listEverybodysSleep(
    @TheCaller() caller: Caller,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('sleep', { caller, userId: undefined, query }, request, reply);
  }

  @Get('workouts')
  @ApiOperation({ summary: 'Read the workouts of all users, by the day of their start. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: workoutPage, description: 'User by user, each from the oldest day on.' })
  listEverybodysWorkouts(
    @TheCaller() caller: Caller,
    @Query({ schema: sessionQuery }) query: z.infer<typeof sessionQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('workouts', { caller, userId: undefined, query }, request, reply);
  }

  @Get('measurements')
  @ApiOperation({ summary: 'Read single measurements of all users, such as weighings. Deleted ones are left out.' })
  @ApiOkResponse({ standardSchema: measurementPage, description: 'User by user, each from the oldest day on.' })
  listEverybodysMeasurements(
    @TheCaller() caller: Caller,
    @Query({ schema: measurementQuery }) query: z.infer<typeof measurementQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('measurements', { caller, userId: undefined, query }, request, reply);
  }

  @Get('series')
  @ApiOperation({
    summary: 'Read the samples of all users: all of one metric, day and source, or of one workout. Deleted ones are left out.',
  })
  @ApiOkResponse({ standardSchema: seriesPage, description: 'User by user, each from the oldest day on.' })
  listEverybodysSeries(
    @TheCaller() caller: Caller,
    @Query({ schema: seriesQuery }) query: z.infer<typeof seriesQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.#lists.answer('series', { caller, userId: undefined, query }, request, reply);
  }
}
