import { Body, Controller, Get, Headers, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { type FastifyReply } from 'fastify';
import { type z } from 'zod';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { etagOfRevision, holds } from './etag.js';
import { findByKey } from './find-by-key.js';
import { requireRevision } from './list-records.js';
import { type RecordKey, anyRecord, batchAnswer, batchRequest, recordKey, recordQuery } from './record-key.js';

@ApiTags('Records')
@Controller('v1/records')
export class RecordKeysController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({
    summary: 'Read one record by its key. Its ETag is its revision: with `If-None-Match` an unchanged one answers 304.',
  })
  @ApiOkResponse({ standardSchema: anyRecord, description: 'As in the list of its kind.' })
  async getRecord(
    @TheCaller() caller: Caller,
    @Query({ schema: recordQuery }) query: z.infer<typeof recordQuery>,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<z.infer<typeof anyRecord> | undefined> {
    const { minRevision, ...fields } = query;
    const key = keyOf(fields);
    await requireRevision(this.context, caller, { minRevision, view: 'source' });
    const [record] = await findByKey(this.context.pool, caller, [key]);
    if (record === undefined) throw new Problem('not_found', 'There is no record of that key, or it was deleted.');
    const etag = etagOfRevision(record.revision);
    void reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization');
    if (!holds(ifNoneMatch, etag)) return record;
    void reply.status(304);
    return undefined;
  }

  @Post('batch')
  @HttpCode(200)
  @ApiOperation({ summary: 'Read up to a hundred records by their keys, each as it is at this moment.' })
  @ApiOkResponse({ standardSchema: batchAnswer, description: 'One entry for each key, in their order.' })
  async readRecords(
    @TheCaller() caller: Caller,
    @Body({ schema: batchRequest }) { keys, minRevision }: z.infer<typeof batchRequest>,
  ): Promise<z.infer<typeof batchAnswer>> {
    await requireRevision(this.context, caller, { minRevision, view: 'source' });
    const records = await findByKey(this.context.pool, caller, keys);
    return { data: keys.map((key, place) => ({ key, record: records[place] ?? null })) };
  }
}

/** @throws Problem `validation_failed` naming the fields that the kind needs and does not have, or has and does not need. */
export function keyOf(fields: Omit<z.infer<typeof recordQuery>, 'minRevision'>): RecordKey {
  const key = recordKey.safeParse(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
  if (key.success) return key.data;
  const faults = key.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => ({ path: name, message: `is no part of the key of this kind` }))
      : [{ path: issue.path.join('.') || 'query', message: issue.message }],
  );
  throw new Problem('validation_failed', `This is no key of a record of kind "${fields.kind}"; see "faults".`, faults);
}
