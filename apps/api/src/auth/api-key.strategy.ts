import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Problem } from '@tributary/domain';
import { findApiKey, touchApiKey } from '@tributary/storage';
import { type FastifyRequest } from 'fastify';
import { Strategy } from 'passport-custom';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { decideAccess } from '../tenancy/request-access.js';
import { bearerOf, hashApiKey, looksLikeApiKey } from './api-key.js';
import { type KnownCaller, KnownKeys } from './known-keys.js';

/** `Authorization: Bearer trb_…`. The key alone says whose request it is; no header or path can say otherwise. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, 'api-key') {
  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly known: KnownKeys,
  ) {
    super();
  }

  async validate(request: FastifyRequest): Promise<KnownCaller> {
    const header = request.headers.authorization;
    if (header === undefined)
      throw new Problem('unauthenticated', 'No API key came with the request. Send it as "Authorization: Bearer trb_…".');
    const key = bearerOf(header);
    if (key === undefined || !looksLikeApiKey(key)) {
      throw new Problem(
        'unauthenticated',
        'The Authorization header holds no API key. Send it as "Authorization: Bearer trb_…", the whole key.',
      );
    }
    const hash = hashApiKey(key);
    decideAccess({ is: 'key', hash });
    const look = this.known.beginLook(hash.toString('base64'), this.context.now());
    const stored = await findApiKey(this.context.pool, hash);
    if (stored === undefined || stored.revokedAt !== null) {
      look.refused();
      throw new Problem('unauthenticated', 'The API key is not known, or was revoked. Use another one.');
    }
    if (stored.expiresAt !== null && stored.expiresAt.getTime() <= this.context.now()) {
      throw new Problem('unauthenticated', `The API key expired at ${stored.expiresAt.toISOString()}. Use another one.`);
    }
    decideAccess({ is: 'caller', scope: { tenantId: stored.tenantId, environment: stored.environment } });
    if (stored.stale) {
      touchApiKey(this.context.pool, stored, stored.id).catch((error: unknown) =>
        this.context.log.warn({ what: 'api_key.touch_failed', err: error }),
      );
    }
    const { tenantId, environment, id, scopes, expiresAt } = stored;
    const caller = { tenantId, environment, actor: id, keyScopes: scopes, expiresAt };
    look.found(caller);
    return caller;
  }
}
