import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventType } from '@tributary/domain';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import { inTransaction } from '../in-transaction.js';
import { announceEvent } from './announce-event.js';
import { drawRevisions } from './draw-revisions.js';
import { type NewEvent, insertEvents } from './insert-events.js';

interface Filters {
  readonly event_types?: readonly string[] | null;
  readonly providers?: readonly string[] | null;
  readonly metrics?: readonly string[] | null;
  readonly user_ids?: readonly string[] | null;
  readonly source_view?: 'source' | 'resolved' | 'both';
  readonly status?: 'enabled' | 'disabled';
}

type Content = Pick<NewEvent, 'type' | 'provider' | 'metric' | 'userId' | 'view'>;

const sealer = { seal: (plain: string) => Buffer.from(`${TEST_KEYS.length}${plain}`) };

describe('what an event is owed to', () => {
  let db: TestDatabase;
  let seed: Seed;
  let scope: SeededEnvironment;
  let made = 0;

  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, sealer);
  });
  afterAll(() => db.drop());

  const begin = async () => void (scope = await seed.environment());

  async function endpoint(filters: Filters = {}): Promise<string> {
    const { id } = await seed.endpoint(scope);
    const names = Object.keys(filters);
    for (const name of names)
      await db.pool.query(`update endpoint set ${name} = $2 where id = $1`, [id, filters[name as keyof Filters] ?? null]);
    return id;
  }

  async function tell(...contents: Content[]): Promise<{ ids: string[]; told: string[] }> {
    const ids = contents.map(() => `evt_${(made += 1)}`);
    const told = await inTransaction(db.pool, async (client) => {
      const first = await drawRevisions(client, scope, contents.length);
      const events = contents.map((content, at) => ({
        ...content,
        id: ids[at] as string,
        revision: first + at,
        data: Buffer.from(`{"n":${at}}`),
      }));
      return insertEvents(client, scope, events);
    });
    return { ids, told };
  }

  /** Endpoints of each event, as the rows have it. */
  async function owed(ids: readonly string[]): Promise<string[][]> {
    const { rows } = await db.pool.query(
      'select event_id, endpoint_id, state, attempts from event_delivery where tenant_id = $1 order by endpoint_id',
      [scope.tenantId],
    );
    expect(rows.every(({ state, attempts }) => state === 'pending' && attempts === 0)).toBe(true);
    return ids.map((id) => rows.filter(({ event_id }) => event_id === id).map(({ endpoint_id }) => endpoint_id as string));
  }

  const steps: Content = { type: 'daily.updated', provider: 'oura', metric: 'steps', userId: 'usr_1' };

  it('no endpoint takes it: the event stands, and nothing is owed', async () => {
    await begin();
    await endpoint({ providers: ['garmin'] });
    await endpoint({ status: 'disabled' });
    const { ids, told } = await tell(steps);
    expect([told, await owed(ids)]).toEqual([[], [[]]]);
    const { rows } = await db.pool.query('select id, data, view from event where tenant_id = $1', [scope.tenantId]);
    expect(rows).toEqual([{ id: ids[0], data: Buffer.from('{"n":0}'), view: null }]);
  });

  it('an event about no person, no metric and no provider passes the filters of these; an empty list takes nobody', async () => {
    await begin();
    const narrow = await endpoint({ providers: ['oura'], metrics: ['steps'], user_ids: ['usr_1'] });
    const emptied = await endpoint({ user_ids: [] });
    const { ids } = await tell(
      { type: 'endpoint.test', provider: undefined, metric: undefined, userId: undefined },
      { type: 'connection.created', provider: 'oura', metric: undefined, userId: 'usr_1' },
      { type: 'connection.created', provider: 'garmin', metric: undefined, userId: 'usr_1' },
      { type: 'connection.created', provider: 'oura', metric: undefined, userId: 'usr_2' },
      steps,
    );
    expect(await owed(ids)).toEqual([[narrow, emptied].sort(), [narrow], [], [], [narrow]]);
  });

  it('the resolved view goes to who wants it, whatever provider it is shown from, and a source to who wants sources', async () => {
    await begin();
    const source = await endpoint();
    const resolved = await endpoint({ source_view: 'resolved', providers: ['garmin'] });
    const both = await endpoint({ source_view: 'both' });
    const { ids, told } = await tell(steps, { ...steps, view: 'resolved' }, { ...steps, provider: 'garmin', type: 'record.deleted' });
    expect(await owed(ids)).toEqual([[source, both].sort(), [resolved, both].sort(), [source, both].sort()]);
    expect([...told].sort()).toEqual([source, resolved, both].sort());
    const { rows } = await db.pool.query('select view from event where tenant_id = $1 order by revision', [scope.tenantId]);
    expect(rows.map(({ view }) => view)).toEqual([null, 'resolved', null]);
  });

  it('an announcement for named endpoints goes past their filters, and not to a disabled one', async () => {
    await begin();
    const narrow = await endpoint({ event_types: ['daily.updated'], user_ids: [] });
    const off = await endpoint({ status: 'disabled' });
    await endpoint();
    const event = {
      ...scope,
      id: `evt_a${(made += 1)}`,
      type: 'endpoint.test',
      revision: 1,
      userId: null,
      data: Buffer.from('{}'),
    } as const;
    expect(await announceEvent(db.pool, { ...event, endpointIds: [narrow, off] })).toEqual([narrow]);
    expect(await owed([event.id])).toEqual([[narrow]]);
  });

  it('of one tenant only', async () => {
    await begin();
    await endpoint();
    await begin();
    const own = await endpoint();
    const { ids } = await tell(steps);
    expect(await owed(ids)).toEqual([[own]]);
  });

  it('for any endpoints and events, in one statement, what the words say', async () => {
    const some = <T>(...values: T[]) => fc.option(fc.subarray(values), { nil: null });
    const filters = fc.record({
      event_types: some('daily.updated', 'record.deleted', 'connection.created', 'endpoint.test'),
      providers: some('oura', 'garmin'),
      metrics: some('steps', 'workout'),
      user_ids: some('usr_1', 'usr_2'),
      source_view: fc.constantFrom('source', 'resolved', 'both'),
      status: fc.constantFrom('enabled', 'enabled', 'disabled'),
    });
    const record = fc.record({
      type: fc.constantFrom<EventType>('daily.updated', 'record.deleted'),
      provider: fc.constantFrom('oura', 'garmin'),
      metric: fc.constantFrom('steps', 'workout'),
      userId: fc.constantFrom('usr_1', 'usr_2'),
      view: fc.constantFrom('resolved' as const, undefined),
    });
    const other = fc.record({
      type: fc.constantFrom<EventType>('connection.created', 'endpoint.test'),
      provider: fc.constantFrom('oura', undefined),
      metric: fc.constant(undefined),
      userId: fc.constantFrom('usr_1', undefined),
    });
    /** By hand, endpoint by endpoint. */
    const takes = (p: Required<Filters>, { type, provider, metric, userId, view }: Content): boolean => {
      const lets = (list: readonly string[] | null, value: string | undefined) =>
        list === null || value === undefined || list.includes(value);
      if (p.status === 'disabled' || !(p.event_types === null || p.event_types.includes(type))) return false;
      if (!lets(p.metrics, metric) || !lets(p.user_ids, userId)) return false;
      if (view !== 'resolved' && !lets(p.providers, provider)) return false;
      return metric === undefined || p.source_view === 'both' || p.source_view === (view ?? 'source');
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(filters, { minLength: 1, maxLength: 8 }),
        fc.array(fc.oneof(record, other), { minLength: 1, maxLength: 12 }),
        async (all, contents) => {
          await begin();
          const endpoints: { id: string; p: Required<Filters> }[] = [];
          for (const p of all) endpoints.push({ id: await endpoint(p), p });
          const { ids, told } = await tell(...contents);
          const expected = contents.map((content) =>
            endpoints
              .filter(({ p }) => takes(p, content))
              .map(({ id }) => id)
              .sort(),
          );
          expect(await owed(ids)).toEqual(expected);
          expect([...told].sort()).toEqual([...new Set(expected.flat())].sort());
        },
      ),
      { numRuns: 25 },
    );
  });
});
