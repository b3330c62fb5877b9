import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type EndpointRow,
  type EndpointSettings,
  type Sql,
  addEndpointSecret,
  cancelDeliveries,
  deleteEndpoint,
  drawRevisions,
  findEndpoint,
  holdNamedUsers,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  lockEvents,
  scrubToldErasures,
  updateEndpoint,
} from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { createdEndpoint, endpoint, endpointPage, endpointPatch, newEndpoint, rotatedSecret, rotation, sentTest } from './endpoint.js';
import { endpointUrlFault } from './endpoint-url.js';
import { makeEndpointSecret } from './make-endpoint-secret.js';
import { sendTest } from './send-test.js';

const listQuery = z.strictObject({ ...pageFields });

@ApiTags('Endpoints')
@Controller('v1/endpoints')
export class EndpointsController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {
    this.#pager = new Pager(context.keys, 'endpoints', idOf('ep'));
  }

  @Post()
  @ApiOperation({ summary: 'Create an endpoint.' })
  @ApiCreatedResponse({ standardSchema: createdEndpoint, description: 'The endpoint, with its secret.' })
  async createEndpoint(
    @TheCaller() caller: Caller,
    @Body({ schema: newEndpoint }) wish: z.infer<typeof newEndpoint>,
  ): Promise<z.infer<typeof createdEndpoint>> {
    checkUrl(wish.url, caller);
    this.#checkProviders(wish.providers);
    const id = newId('ep');
    const made = makeEndpointSecret(this.context.keys, wish);
    await recordChange(this.context, caller, 'endpoint.create', async (client) => {
      await insertEndpoint(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id,
        ...settingsOf({ ...wish, userIds: (await holdUsers(client, caller, wish.users)) ?? null }),
        secretId: made.id,
        sealedSecret: made.sealed,
        publicKey: made.publicKey,
      });
      return { target: id, result: undefined };
    });
    return { ...answer(await this.#find(caller, id)), secret: made.secret };
  }

  @Get()
  @ApiOperation({ summary: 'List endpoints.' })
  @ApiOkResponse({ standardSchema: endpointPage, description: 'Oldest first.' })
  async listEndpoints(
    @TheCaller() caller: Caller,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<z.infer<typeof endpointPage>> {
    const rows = await listEndpoints(this.context.pool, caller, this.#pager.placeOf(caller, query.cursor) ?? '', query.limit + 1);
    return this.#pager.page(caller, rows, query.limit, { entry: answer, place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an endpoint.' })
  @ApiOkResponse({ standardSchema: endpoint, description: 'The endpoint.' })
  async getEndpoint(@TheCaller() caller: Caller, @Param('id', { schema: idOf('ep') }) id: string): Promise<z.infer<typeof endpoint>> {
    return answer(await this.#find(caller, id));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change what is named and keep the rest. Enabling, or another URL, forgets earlier failures; what is still owed goes on.',
  })
  @ApiOkResponse({ standardSchema: endpoint, description: 'The endpoint as it is now.' })
  async updateEndpoint(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: endpointPatch }) patch: z.infer<typeof endpointPatch>,
  ): Promise<z.infer<typeof endpoint>> {
    if (patch.url !== undefined) checkUrl(patch.url, caller);
    this.#checkProviders(patch.providers);
    const row = await recordChange(this.context, caller, 'endpoint.update', async (client) => {
      // People before the endpoint, as an erasure has it.
      const named = await holdUsers(client, caller, patch.users);
      if (!(await lockEndpoint(client, caller, id))) throw gone();
      const held = (await findEndpoint(client, caller, id)) ?? fail(gone());
      const next = { ...held, ...patch, ...(named !== undefined && { userIds: named }) };
      await updateEndpoint(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id,
        ...settingsOf(next),
        status: next.status,
      });
      return { target: id, result: (await findEndpoint(client, caller, id)) ?? fail(gone()) };
    });
    if (row.status === 'enabled') await this.tickets.deliver(caller, [id]);
    return answer(row);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete an endpoint: what was owed to it is cancelled.' })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone.' })
  async deleteEndpoint(@TheCaller() caller: Caller, @Param('id', { schema: idOf('ep') }) id: string): Promise<void> {
    await this.#find(caller, id);
    await recordChange(this.context, caller, 'endpoint.delete', async (client) => {
      // Drawn for its lock: whoever writes deliveries holds the counter, so none can appear behind the cancelling.
      await drawRevisions(client, caller, 1);
      if (!(await deleteEndpoint(client, caller, id))) throw gone();
      const events = await cancelDeliveries(client, caller, id);
      await lockEvents(client, caller, events);
      await scrubToldErasures(client, caller, events);
      return { target: id, result: undefined };
    });
  }

  @Post(':id/rotate-secret')
  @ApiOperation({ summary: 'Make a new secret, good at once; the earlier ones sign beside it until the overlap ends.' })
  @HttpCode(200)
  @ApiOkResponse({ standardSchema: rotatedSecret, description: 'The new secret.' })
  async rotateEndpointSecret(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: rotation }) wish: z.infer<typeof rotation>,
  ): Promise<z.infer<typeof rotatedSecret>> {
    const { publicKeys } = await this.#find(caller, id);
    const made = makeEndpointSecret(this.context.keys, { asymmetric: wish.asymmetric ?? publicKeys.length > 0 });
    await recordChange(this.context, caller, 'endpoint.rotate_secret', async (client) => {
      if (!(await lockEndpoint(client, caller, id))) throw gone();
      await addEndpointSecret(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        endpointId: id,
        id: made.id,
        sealed: made.sealed,
        publicKey: made.publicKey,
        overlapS: wish.overlapS,
      });
      return { target: id, result: undefined };
    });
    return { secret: made.secret, publicKey: made.publicKey };
  }

  @Post(':id/test')
  @ApiOperation({ summary: 'Send an endpoint.test event to this endpoint alone, whatever its filter.' })
  @HttpCode(202)
  @ApiAcceptedResponse({ standardSchema: sentTest, description: 'On its way; follow it at /v1/events/:id/attempts.' })
  async testEndpoint(@TheCaller() caller: Caller, @Param('id', { schema: idOf('ep') }) id: string): Promise<z.infer<typeof sentTest>> {
    const { status } = await this.#find(caller, id);
    if (status === 'disabled')
      throw new Problem('endpoint_disabled', 'The endpoint is disabled. Enable it first: PATCH with {"status":"enabled"}.');
    return { eventId: await sendTest(this.context, this.tickets, caller, id) };
  }

  #checkProviders(wished: readonly string[] | null | undefined): void {
    const { providers } = this.context;
    const faults = (wished ?? []).flatMap((id, at) =>
      providers.has(id) ? [] : [{ path: `providers.${at}`, message: `is none of ${[...providers.keys()].join(', ')}` }],
    );
    if (faults.length > 0) throw new Problem('validation_failed', 'A provider is not known here; see "faults".', faults);
  }

  async #find(caller: Caller, id: string): Promise<EndpointRow> {
    return (await findEndpoint(this.context.pool, caller, id)) ?? fail(gone());
  }
}

function checkUrl(url: string, { environment }: Caller): void {
  const fault = endpointUrlFault(url, environment);
  if (fault !== undefined)
    throw new Problem('validation_failed', 'One field is not usable; see "faults".', [{ path: 'url', message: fault }]);
}

/** Our ids of the people who are named; they stay held. Undefined: nothing is wished; null: everybody. */
async function holdUsers(sql: Sql, caller: Caller, names: readonly string[] | null | undefined): Promise<string[] | null | undefined> {
  if (names == null) return names;
  const byName = await holdNamedUsers(sql, caller, names);
  const faults = names.flatMap((name, at) =>
    byName.has(name) ? [] : [{ path: `users.${at}`, message: 'is no user of this environment, by our id or by yours' }],
  );
  if (faults.length > 0) throw new Problem('validation_failed', 'Somebody is not known here; see "faults".', faults);
  return [...new Set(names.flatMap((name) => byName.get(name) ?? []))];
}

/** Named one by one: a row has more than a customer may set. */
function settingsOf(wish: EndpointSettings): EndpointSettings {
  const { url, description, eventTypes, providers, metrics, userIds, payload, sourceView, ordering, ratePerSecond, scheduleS } = wish;
  return { url, description, eventTypes, providers, metrics, userIds, payload, sourceView, ordering, ratePerSecond, scheduleS };
}

function gone(): Problem {
  return new Problem('not_found', 'There is no endpoint of that id.');
}

function fail(problem: Problem): never {
  throw problem;
}

function copy<T>(list: readonly T[] | null): T[] | null {
  return list && [...list];
}

function answer(row: EndpointRow): z.infer<typeof endpoint> {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: copy(row.eventTypes),
    providers: copy(row.providers),
    metrics: copy(row.metrics),
    users: copy(row.userIds),
    payload: row.payload,
    sourceView: row.sourceView,
    ordering: row.ordering,
    ratePerSecond: row.ratePerSecond,
    scheduleS: copy(row.scheduleS),
    status: row.status,
    disabledReason: row.disabledReason,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    failingSince: row.failingSince?.toISOString() ?? null,
    consecutiveFailures: row.consecutiveFailures,
    publicKeys: row.publicKeys,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
