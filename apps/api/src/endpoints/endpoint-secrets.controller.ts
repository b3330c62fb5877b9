import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import {
  type EndpointSecretRow,
  deleteEndpointSecret,
  findEndpoint,
  insertEndpointSecret,
  listEndpointSecrets,
  lockEndpoint,
} from '@tributary/storage';
import { type z } from 'zod';
import { idOf } from '../answers/fields.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import { createdEndpointSecret, type endpointSecret, endpointSecretList, newEndpointSecret } from './endpoint-secret.js';
import { makeEndpointSecret } from './make-endpoint-secret.js';

/** Each signs every request, and headers have an end. */
const MOST_SECRETS = 5;
/** `whsec_` and four letters: 24 of 256 bits. */
const SHOWN = 10;

@ApiTags('Endpoints')
@Controller('v1/endpoints/:id/secrets')
export class EndpointSecretsController {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  @Get()
  @ApiOperation({ summary: 'List the secrets that sign now. Never the secrets themselves.' })
  @ApiOkResponse({ standardSchema: endpointSecretList, description: 'Newest first.' })
  async listEndpointSecrets(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
  ): Promise<z.infer<typeof endpointSecretList>> {
    if ((await findEndpoint(this.context.pool, caller, id)) === undefined) throw noEndpoint();
    const rows = await listEndpointSecrets(this.context.pool, caller, id);
    return { data: rows.map((row) => this.#show(row)) };
  }

  @Post()
  @ApiOperation({ summary: 'Make one more secret. All sign, until you revoke the others; rotate-secret gives them an end instead.' })
  @ApiCreatedResponse({ standardSchema: createdEndpointSecret, description: 'The new secret.' })
  async createEndpointSecret(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Body({ schema: newEndpointSecret }) wish: z.infer<typeof newEndpointSecret>,
  ): Promise<z.infer<typeof createdEndpointSecret>> {
    const made = makeEndpointSecret(this.context.keys, wish);
    const row = await recordChange(this.context, caller, 'endpoint.create_secret', async (client) => {
      if (!(await lockEndpoint(client, caller, id))) throw noEndpoint();
      if ((await listEndpointSecrets(client, caller, id)).length >= MOST_SECRETS)
        throw new Problem('conflict', `The endpoint has ${MOST_SECRETS} secrets. Revoke one first.`);
      const { tenantId, environment } = caller;
      const { sealed, publicKey } = made;
      await insertEndpointSecret(client, { tenantId, environment, endpointId: id, id: made.id, sealed, publicKey });
      const stored = (await listEndpointSecrets(client, caller, id)).find((one) => one.id === made.id);
      if (stored === undefined) throw new Error('A secret that was just stored is not there');
      return { target: id, result: stored };
    });
    return { ...this.#show(row), secret: made.secret };
  }

  @Delete(':secretId')
  @ApiOperation({ summary: 'Revoke a secret at once: the next request is not signed with it. Refused for the last one that has no end.' })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone.' })
  async revokeEndpointSecret(
    @TheCaller() caller: Caller,
    @Param('id', { schema: idOf('ep') }) id: string,
    @Param('secretId', { schema: idOf('sec') }) secretId: string,
  ): Promise<void> {
    await recordChange(this.context, caller, 'endpoint.revoke_secret', async (client) => {
      if (!(await lockEndpoint(client, caller, id))) throw noEndpoint();
      const held = await listEndpointSecrets(client, caller, id);
      if (!held.some((one) => one.id === secretId)) throw new Problem('not_found', 'The endpoint has no secret of that id.');
      if (!held.some((one) => one.id !== secretId && one.retiresAt === null))
        throw new Problem(
          'last_secret',
          'Nothing would sign what we send. Make another secret first: POST to the secrets of the endpoint, or rotate-secret.',
        );
      await deleteEndpointSecret(client, caller, id, secretId);
      return { target: id, result: undefined };
    });
  }

  #show(row: EndpointSecretRow): z.infer<typeof endpointSecret> {
    return {
      id: row.id,
      prefix: this.#prefixOf(row),
      publicKey: row.publicKey,
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.retiresAt?.toISOString() ?? null,
    };
  }

  #prefixOf({ id, sealed }: EndpointSecretRow): string | null {
    try {
      return this.context.keys.open(sealed, `endpoint_secret:${id}`).slice(0, SHOWN);
    } catch (error) {
      this.context.log.error({ what: 'endpoint.secret_unreadable', secretId: id, err: error });
      return null;
    }
  }
}

function noEndpoint(): Problem {
  return new Problem('not_found', 'There is no endpoint of that id.');
}
