import { randomBytes } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type ApiKeyRow, insertApiKey, listApiKeys, revokeApiKey } from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { Pager, pageFields } from '../answers/page.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { makeApiKey } from '../auth/api-key.js';
import { type Caller, TheCaller } from '../auth/caller.js';
import { allows } from '../auth/key-scope.js';
import { KnownKeys } from '../auth/known-keys.js';
import { recordChange } from '../record-change.js';
import { apiKey, apiKeyPage, createdApiKey, newApiKey } from './api-key-shapes.js';

const listQuery = z.strictObject({ ...pageFields });

@ApiTags('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  readonly #pager: Pager<string>;

  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly known: KnownKeys,
  ) {
    this.#pager = new Pager(context.keys, 'api-keys', idOf('key'));
  }

  @Post()
  @ApiOperation({ summary: 'Make a key of this environment. It may do no more than the key that makes it.' })
  @ApiCreatedResponse({ standardSchema: createdApiKey, description: 'The key, shown this once.' })
  async createApiKey(
    @TheCaller() caller: Caller,
    @Body({ schema: newApiKey }) wish: z.infer<typeof newApiKey>,
  ): Promise<z.infer<typeof createdApiKey>> {
    const lacking = wish.scopes.filter((scope) => !allows(caller.keyScopes, scope));
    if (lacking.length > 0) {
      throw new Problem('forbidden', `This API key cannot lend what it may not do itself: ${lacking.join(', ')}. Use a key that has it.`);
    }
    const expiresAt = wish.expiresAt === null ? undefined : new Date(wish.expiresAt);
    if (expiresAt !== undefined && expiresAt.getTime() <= this.context.now()) {
      throw new Problem('validation_failed', 'One field is not usable; see "faults".', [
        { path: 'expiresAt', message: 'lies in the past' },
      ]);
    }
    const id = newId('key');
    const made = makeApiKey(caller.environment, randomBytes(32));
    const row = await recordChange(this.context, caller, 'api_key.create', async (client) => {
      await insertApiKey(client, {
        tenantId: caller.tenantId,
        environment: caller.environment,
        id,
        name: wish.name,
        prefix: made.prefix,
        hash: made.hash,
        expiresAt,
        scopes: [...new Set(wish.scopes)],
      });
      const [inserted] = await listApiKeys(client, caller, { id, after: '', limit: 1 });
      return { target: id, result: inserted as ApiKeyRow };
    });
    return { ...answer(row), key: made.key };
  }

  @Get()
  @ApiOperation({ summary: 'List keys, revoked and expired ones too.' })
  @ApiOkResponse({ standardSchema: apiKeyPage, description: 'Oldest first.' })
  async listApiKeys(
    @TheCaller() caller: Caller,
    @Query({ schema: listQuery }) query: z.infer<typeof listQuery>,
  ): Promise<z.infer<typeof apiKeyPage>> {
    const after = this.#pager.placeOf(caller, query.cursor) ?? '';
    const rows = await listApiKeys(this.context.pool, caller, { after, limit: query.limit + 1 });
    return this.#pager.page(caller, rows, query.limit, { entry: answer, place: (row) => row.id });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read about a key.' })
  @ApiOkResponse({ standardSchema: apiKey, description: 'All but the key itself.' })
  async getApiKey(@TheCaller() caller: Caller, @Param('id', { schema: idOf('key') }) id: string): Promise<z.infer<typeof apiKey>> {
    const [row] = await listApiKeys(this.context.pool, caller, { id, after: '', limit: 1 });
    if (row === undefined) throw gone();
    return answer(row);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke a key, also the one that asks: the next request with it is refused.' })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It opens nothing any more.' })
  async revokeApiKey(@TheCaller() caller: Caller, @Param('id', { schema: idOf('key') }) id: string): Promise<void> {
    await recordChange(this.context, caller, 'api_key.revoke', async (client) => {
      if (!(await revokeApiKey(client, caller, id))) throw gone();
      return { target: id, result: undefined };
    });
    this.known.revoked();
  }
}

function gone(): Problem {
  return new Problem('not_found', 'There is no API key of that id.');
}

function answer(row: ApiKeyRow): z.infer<typeof apiKey> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: [...row.scopes],
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
