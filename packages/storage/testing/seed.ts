import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { ulid } from 'ulid';

/** A key ring for tests: `new KeyRing(TEST_KEYS)`, and the value of TRIBUTARY_KEYS for processes that tests start. */
export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** What seeding needs of a KeyRing; storage itself does not know the service shell. */
export interface Sealer {
  seal(plain: string, context: string): Buffer;
}

export interface SeededEnvironment {
  readonly tenantId: string;
  readonly environment: 'live' | 'test';
}

export interface SeededApp extends SeededEnvironment {
  readonly id: string;
  readonly provider: string;
  readonly appKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientSecretId: string;
  readonly verificationToken: string;
}

export interface SeededUser extends SeededEnvironment {
  readonly id: string;
  readonly externalId: string;
}

export interface SeededConnection extends SeededEnvironment {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly subjectId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface SeededEndpoint extends SeededEnvironment {
  readonly id: string;
  readonly url: string;
  /** `whsec_…` as the customer holds it; sealed in this form. */
  readonly secret: string;
  readonly secretId: string;
}

interface EnvironmentOptions {
  readonly tenantId?: string;
  readonly environment?: 'live' | 'test';
  readonly debounceMs?: number;
  readonly maxWaitMs?: number;
  readonly fetchLanes?: number;
}

interface AppOptions {
  readonly provider?: string;
  readonly appKey?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly verificationToken?: string;
  readonly sandbox?: boolean;
  readonly state?: 'pending' | 'active' | 'disabled';
  readonly toleranceMs?: number;
}

interface ConnectionOptions {
  readonly subjectId?: string;
  readonly status?: 'active' | 'reauth_required' | 'revoked' | 'disconnected';
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** Default: in an hour. */
  readonly tokenExpiresAt?: Date;
  readonly scopes?: readonly string[];
}

interface EndpointOptions {
  readonly url?: string;
  readonly secret?: string;
  readonly eventTypes?: readonly string[] | null;
  readonly status?: 'enabled' | 'disabled';
  readonly scheduleS?: readonly number[] | null;
}

interface SecretOptions {
  readonly purpose?: 'client_secret' | 'webhook_secret' | 'verification_token' | 'service_account';
  readonly value?: string;
  readonly retiresAt?: Date | null;
}

/**
 * Inserts what tests start from, straight into the tables: every row valid, every id new, anything that a test is about overridable.
 * Secrets and tokens are sealed in the contexts that our processes open them with.
 */
export class Seed {
  readonly #pool: Pool;
  readonly #keys: Sealer;

  constructor(pool: Pool, keys: Sealer) {
    this.#pool = pool;
    this.#keys = keys;
  }

  /** A tenant (a new one, or the one of `tenantId`) with one environment and its revision counter. No debounce unless asked for. */
  async environment(options: EnvironmentOptions = {}): Promise<SeededEnvironment> {
    const tenantId = options.tenantId ?? `ten_${ulid()}`;
    const environment = options.environment ?? 'test';
    const debounceMs = options.debounceMs ?? 0;
    await this.#pool.query(`insert into tenant (id, name) values ($1, $1) on conflict do nothing`, [tenantId]);
    await this.#pool.query(
      `insert into environment (tenant_id, environment, debounce_ms, max_wait_ms, fetch_lanes) values ($1, $2, $3, $4, $5)`,
      [tenantId, environment, debounceMs, options.maxWaitMs ?? debounceMs, options.fetchLanes ?? 1],
    );
    await this.#pool.query(`insert into revision_counter (tenant_id, environment) values ($1, $2)`, [tenantId, environment]);
    return { tenantId, environment };
  }

  /** A provider app with a client secret and a verification token. Of the sandbox, unless its environment is live. */
  async app(scope: SeededEnvironment, options: AppOptions = {}): Promise<SeededApp> {
    const { tenantId, environment } = scope;
    const id = `app_${ulid()}`;
    const provider = options.provider ?? 'oura';
    const appKey = options.appKey ?? randomBytes(16).toString('hex');
    const clientId = options.clientId ?? `client-${appKey.slice(0, 8)}`;
    await this.#pool.query(
      `insert into provider_app (tenant_id, environment, id, provider, app_key, client_id, sandbox, state, tolerance_ms)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tenantId,
        environment,
        id,
        provider,
        appKey,
        clientId,
        options.sandbox ?? environment === 'test',
        options.state ?? 'active',
        options.toleranceMs ?? 300_000,
      ],
    );
    const app = { tenantId, environment, id };
    const client = await this.appSecret(app, { purpose: 'client_secret', value: options.clientSecret });
    const token = await this.appSecret(app, { purpose: 'verification_token', value: options.verificationToken });
    return { ...app, provider, appKey, clientId, clientSecret: client.value, clientSecretId: client.id, verificationToken: token.value };
  }

  /** One more secret of a provider app, e.g. to rotate to. */
  async appSecret(app: SeededEnvironment & { id: string }, options: SecretOptions = {}): Promise<{ id: string; value: string }> {
    const id = `sec_${ulid()}`;
    const value = options.value ?? randomBytes(24).toString('hex');
    await this.#pool.query(
      `insert into provider_app_secret (tenant_id, environment, provider_app_id, id, purpose, sealed, retires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        app.tenantId,
        app.environment,
        app.id,
        id,
        options.purpose ?? 'client_secret',
        this.#keys.seal(value, `provider_app_secret:${id}`),
        options.retiresAt ?? null,
      ],
    );
    return { id, value };
  }

  async user(scope: SeededEnvironment, options: { externalId?: string; fallbackZone?: string } = {}): Promise<SeededUser> {
    const { tenantId, environment } = scope;
    const id = `usr_${ulid()}`;
    const externalId = options.externalId ?? `external-${randomUUID()}`;
    await this.#pool.query(`insert into app_user (tenant_id, environment, id, external_id, fallback_zone) values ($1, $2, $3, $4, $5)`, [
      tenantId,
      environment,
      id,
      externalId,
      options.fallbackZone ?? null,
    ]);
    return { tenantId, environment, id, externalId };
  }

  /** A user's grant at the app's provider, active and with tokens good for an hour. */
  async connection(app: SeededApp, user: SeededUser, options: ConnectionOptions = {}): Promise<SeededConnection> {
    const { tenantId, environment } = app;
    const id = `con_${ulid()}`;
    const subjectId = options.subjectId ?? `subject-${randomUUID()}`;
    const accessToken = options.accessToken ?? `access-${randomUUID()}`;
    const refreshToken = options.refreshToken ?? `refresh-${randomUUID()}`;
    await this.#pool.query(
      `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, status, access_token,
         refresh_token, token_expires_at, scopes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11::timestamptz, now() + interval '1 hour'), $12)`,
      [
        tenantId,
        environment,
        id,
        user.id,
        app.provider,
        app.id,
        subjectId,
        options.status ?? 'active',
        this.#keys.seal(accessToken, `connection:${id}:access`),
        this.#keys.seal(refreshToken, `connection:${id}:refresh`),
        options.tokenExpiresAt ?? null,
        options.scopes ?? ['daily', 'personal'],
      ],
    );
    return {
      tenantId,
      environment,
      id,
      userId: user.id,
      provider: app.provider,
      providerAppId: app.id,
      subjectId,
      accessToken,
      refreshToken,
    };
  }

  /** A customer's endpoint with one signing secret; takes every type of event unless told otherwise. */
  async endpoint(scope: SeededEnvironment, options: EndpointOptions = {}): Promise<SeededEndpoint> {
    const { tenantId, environment } = scope;
    const id = `ep_${ulid()}`;
    const url = options.url ?? 'http://127.0.0.1:9/hooks';
    await this.#pool.query(
      `insert into endpoint (tenant_id, environment, id, url, event_types, status, schedule_s) values ($1, $2, $3, $4, $5, $6, $7)`,
      [tenantId, environment, id, url, options.eventTypes ?? null, options.status ?? 'enabled', options.scheduleS ?? null],
    );
    const secret = await this.endpointSecret({ tenantId, environment, id }, { value: options.secret });
    return { tenantId, environment, id, url, secret: secret.value, secretId: secret.id };
  }

  /** One more signing secret of an endpoint. */
  async endpointSecret(
    endpoint: SeededEnvironment & { id: string },
    options: Omit<SecretOptions, 'purpose'> = {},
  ): Promise<{ id: string; value: string }> {
    const id = `sec_${ulid()}`;
    const value = options.value ?? `whsec_${randomBytes(24).toString('base64')}`;
    await this.#pool.query(
      `insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed, retires_at) values ($1, $2, $3, $4, $5, $6)`,
      [
        endpoint.tenantId,
        endpoint.environment,
        endpoint.id,
        id,
        this.#keys.seal(value, `endpoint_secret:${id}`),
        options.retiresAt ?? null,
      ],
    );
    return { id, value };
  }
}
