import type { HealthRecord } from '@tributary/domain';
import { type ClaimedWindow, type WindowKey } from '@tributary/storage';
import { type Applied, type ReadToApply, applyWindows } from '../src/apply-window.js';
import { type ReadEvidence, type SeenRows, seenRows } from '../src/seen-rows.js';
import type { Person, Workbench } from './workbench.js';

const MINUTE = 60_000;

/** One look at the provider as a test wants it to have been; times in minutes after noon. */
export interface Look extends Partial<Pick<ReadEvidence, 'via' | 'complete' | 'normalizerVersion' | 'clockDomain'>> {
  readonly at: number;
  /** How long it took; a second unless said. */
  readonly tookMs?: number;
  readonly window?: Pick<WindowKey, 'windowKind' | 'windowStart' | 'windowEnd'>;
}

/** Writes looks of one person as the worker would, each under a lease of its own, at times that a test makes up. */
export class Looks {
  readonly noon = Date.parse('2026-09-15T12:00:00Z');

  constructor(
    private readonly bench: Workbench,
    readonly person: Person,
  ) {}

  ms(minutes: number): number {
    return this.noon + minutes * MINUTE;
  }

  async apply(look: Look, ...records: readonly HealthRecord[]): Promise<Applied> {
    return this.write(await this.read(look, ...records));
  }

  async write(read: ReadToApply): Promise<Applied> {
    const [applied] = await applyWindows(this.bench.db.pool, [read]);
    if (applied === undefined) throw new Error('Nothing was applied');
    return applied;
  }

  async read(look: Look, ...records: readonly HealthRecord[]): Promise<ReadToApply> {
    const window = await this.lease(look.window ?? { windowKind: 'object', windowStart: 'doc', windowEnd: 'doc' });
    return { window, seen: seenRows(records, this.evidence(look)), letter: undefined, also: undefined };
  }

  /** As {@link seenRows} of nothing, with what a test adds. */
  seen(look: Look, changes: Partial<SeenRows>): SeenRows {
    return { ...seenRows([], this.evidence(look)), ...changes };
  }

  evidence({ at, tookMs = 1_000, via = 'pull', complete = true, normalizerVersion = 1, clockDomain = 'oura' }: Look): ReadEvidence {
    const { user, connection } = this.person;
    const from = this.ms(at);
    return {
      readVersion: from * 1000,
      fresh: { from, to: from + tookMs },
      via,
      complete,
      clockDomain,
      normalizerVersion,
      collection: 'daily_activity',
      owner: { userId: user.id, connectionId: connection.id, provider: 'oura' },
    };
  }

  async lease({ windowKind, windowStart, windowEnd }: Pick<WindowKey, 'windowKind' | 'windowStart' | 'windowEnd'>): Promise<ClaimedWindow> {
    const { connection, user, app } = this.person;
    const { rows } = await this.bench.db.pool.query<{ lease_token: string }>(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, notices, state,
         lease_token, due_at)
       values ($1, $2, $3, 'daily_activity', $4, $5, $6, 1, 'fetching', gen_random_uuid(), now() + interval '1 hour')
       on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
       do update set state = 'fetching', lease_token = gen_random_uuid(), due_at = now() + interval '1 hour'
       returning lease_token`,
      [connection.tenantId, connection.environment, connection.id, windowKind, windowStart, windowEnd],
    );
    return {
      tenantId: connection.tenantId,
      environment: connection.environment,
      connectionId: connection.id,
      collection: 'daily_activity',
      windowKind,
      windowStart,
      windowEnd,
      leaseToken: rows[0]?.lease_token,
      priority: 0,
      expects: 'changed',
      requestedVersion: undefined,
      attempts: 0,
      contradictions: 0,
      userId: user.id,
      externalId: user.externalId,
      provider: 'oura',
      providerAppId: app.id,
    } as unknown as ClaimedWindow;
  }

  /** The one row, as far as the gate is concerned. */
  async row(): Promise<Record<string, unknown>> {
    const rows = await this.bench.rows(
      `select value, deleted, delete_reason, version, inferred, provider_version, clock_domain, version_epoch, normalizer_version,
         fresh_from, fresh_to, unsettled, doubt->>'row' as doubt, revision
       from daily_rollup where tenant_id = $1`,
      this.person,
    );
    if (rows.length !== 1) throw new Error(`There are ${rows.length} rows`);
    return rows[0] as Record<string, unknown>;
  }

  /** What customers were told, oldest first. */
  async told(): Promise<unknown[]> {
    return (await this.bench.events(this.person)).map(({ type, data }) => (type === 'record.deleted' ? data['reason'] : data['change']));
  }

  /** When the window is read again, in milliseconds; undefined when it is settled. */
  async again(): Promise<number | undefined> {
    const [window] = await this.bench.rows(
      `select state, (extract(epoch from due_at) * 1000)::float8 as due from fetch_window where tenant_id = $1 and window_start = 'doc'`,
      this.person,
    );
    return window?.['state'] === 'waiting' ? Math.round(Number(window['due'])) : undefined;
  }
}
