import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FetchOutcome, type HealthRecord, MAX_ATTEMPTS, grantCollection } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { type CollectionFacts, type OAuth, type Provider, findProvider, isPermitted } from '@tributary/providers';
import { lockPeople, setScopes } from '@tributary/storage';
import { BackfillWorld } from '../testing/backfill-world.js';
import { heartRecord, weightRecord, workoutRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.honoured.clear();
  Object.assign(bench.oura, { fault: undefined, refreshToken: undefined, grantDead: false, scope: undefined });
  Object.assign(bench.oura.calls, { object: 0, list: 0, refresh: 0 });
});

const oura = findProvider('oura') as Provider;
const by = (scope: string, holds: CollectionFacts['holds']): CollectionFacts => ({ scope, holds, byDays: true });
const collections = { sleep: by('health', 'sleep'), weight: by('health', 'measurement'), workout: by('activity', 'workout') };

/** A worker whose provider says what the person permits, and what each collection holds. */
function worker(permissions: readonly string[] | undefined, shown: Readonly<Record<string, readonly HealthRecord[] | FetchOutcome>> = {}) {
  const asked: string[] = [];
  const fetchRecords: Provider['fetchRecords'] = (collection) => {
    asked.push(collection);
    const found = shown[collection] ?? [];
    return Promise.resolve('is' in found ? found : { is: 'records', complete: true, records: found });
  };
  const oauth: OAuth = { ...oura.oauth, permissions: () => Promise.resolve(permissions) };
  const provider: Provider = { ...oura, collections, oauth, fetchRecords };
  return { asked, context: bench.contextWith({ providers: new Map([['oura', provider]]) }) };
}

const everything = {
  weight: [weightRecord(71), weightRecord(72, { recordId: 'w-2' })],
  sleep: [heartRecord([60, 61])],
  workout: [workoutRecord()],
};

async function person(): Promise<Person> {
  return bench.person({ connection: { scopes: ['health', 'activity'] } });
}

/** One window of each collection, read. */
async function held(): Promise<Person> {
  const one = await person();
  for (const collection of Object.keys(collections)) await bench.window(one, { collection, from: '2026-09-14', to: '2026-09-15' });
  await bench.fetch(one, worker(undefined, everything).context);
  return one;
}

/** A notice about the grant, as `userPermissionsChange` of Garmin gives one. */
async function permissionsChange(one: Person, { context }: ReturnType<typeof worker>): Promise<void> {
  await bench.db.pool.query(
    `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, due_at)
     values ($1, $2, $3, $4, 'whole', '', '', now())
     on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
       do update set state = 'waiting', due_at = now()`,
    [one.scope.tenantId, one.scope.environment, one.connection.id, grantCollection],
  );
  await bench.fetch(one, context);
}

const records = (one: Person) =>
  bench.rows(
    `select 'measurement' as kind, record_id as id, deleted, delete_reason from measurement_record where tenant_id = $1
     union all select 'session', record_id, deleted, delete_reason from session_record where tenant_id = $1
     union all select 'series', item, deleted, delete_reason from series_day where tenant_id = $1 order by 1, 2`,
    one,
  );
const hidden = async (one: Person) => (await records(one)).filter((row) => row['deleted']).map((row) => row['id']);
const scopes = async (one: Person) => (await bench.rows('select scopes, permissions_due from connection where tenant_id = $1', one))[0];
const since = async (one: Person, count: number) => {
  const events = (await bench.events(one)).slice(count);
  for (const { type, data } of events) expect(eventSchemas[type as keyof typeof eventSchemas].parse(data)).toEqual(data);
  return events;
};
const windowsOf = async (one: Person, collection: string) =>
  (await bench.windows(one)).filter((row) => row['collection'] === collection).map((row) => row['state']);

describe('C080 a person narrows what they permit', () => {
  it('hides what is not permitted any more, says so, and leaves everything else', async () => {
    const one = await held();
    expect(await hidden(one)).toEqual([]);
    const narrower = worker(['activity'], everything);
    await permissionsChange(one, narrower);
    expect(await scopes(one)).toEqual({ scopes: ['activity'], permissions_due: false });
    expect(await records(one)).toEqual([
      { kind: 'measurement', id: 'group-1', deleted: true, delete_reason: 'permission_revoked' },
      { kind: 'measurement', id: 'w-2', deleted: true, delete_reason: 'permission_revoked' },
      { kind: 'series', id: '2026-09-14', deleted: true, delete_reason: 'permission_revoked' },
      { kind: 'session', id: 'ride-1', deleted: false, delete_reason: null },
    ]);
    const told = await since(one, 4);
    expect(told.map(({ type, data }) => [type, data['reason'] ?? data['scopes']])).toEqual([
      ['record.deleted', 'permission_revoked'],
      ['record.deleted', 'permission_revoked'],
      ['record.deleted', 'permission_revoked'],
      ['connection.updated', ['activity']],
    ]);
    expect(new Set(told.map(({ deliveries }) => deliveries))).toEqual(new Set([1]));
    await permissionsChange(one, narrower);
    expect(await since(one, 8)).toEqual([]);
  });

  it('cancels what waits to be read of it without a call, and reads the rest', async () => {
    const one = await person();
    for (const collection of ['sleep', 'workout']) {
      await bench.window(one, { collection, from: '2026-09-14', to: '2026-09-15', priority: 0 });
      await bench.window(one, { collection, from: '2026-09-16', to: '2026-09-17', priority: 2 });
    }
    await setScopes(bench.db.pool, one.scope, one.connection.id, ['activity']);
    const narrower = worker(undefined, everything);
    await bench.fetch(one, narrower.context);
    await bench.makeDue(one);
    await bench.fetch(one, narrower.context);
    expect(narrower.asked.sort()).toEqual(['workout', 'workout']);
    // What only a sweep wished to see is gone; what somebody told us of waits.
    expect(await windowsOf(one, 'sleep')).toEqual(['parked']);
    expect(await bench.letters(one)).toEqual([]);
    expect((await bench.events(one)).filter(({ type }) => type.startsWith('connection'))).toMatchObject([
      { type: 'connection.updated', data: { scopes: ['activity'] } },
    ]);
  });

  it('and permits it again: it is shown as it was, and read', async () => {
    const one = await held();
    await permissionsChange(one, worker(['activity'], everything));
    await bench.window(one, { collection: 'sleep', from: '2026-10-14', to: '2026-10-15', priority: 0 });
    await bench.fetch(one, worker(['activity'], everything).context);
    expect(await windowsOf(one, 'sleep')).toContain('parked');
    const wider = worker(['activity', 'health'], everything);
    await permissionsChange(one, wider);
    expect(await hidden(one)).toEqual([]);
    const told = (await bench.events(one)).slice(-4);
    expect(told.map(({ type, data }) => [type, data['change'] ?? data['scopes']]).sort()).toEqual([
      ['connection.updated', ['activity', 'health']],
      ['measurement.updated', 'restored'],
      ['measurement.updated', 'restored'],
      ['series.updated', 'restored'],
    ]);
    await bench.fetch(one, wider.context);
    expect(wider.asked).toEqual(expect.arrayContaining(['sleep', 'weight', 'workout']));
    expect(await windowsOf(one, 'sleep')).not.toContain('parked');
  });

  it('is believed of the provider alone: one that does not say changes nothing', async () => {
    const one = await held();
    await permissionsChange(one, worker(undefined, everything));
    expect([await hidden(one), await since(one, 4), (await scopes(one))?.['scopes']]).toEqual([[], [], ['health', 'activity']]);
  });
});

describe('a scope is lost', () => {
  it('when the answer to a refresh leaves it out', async () => {
    const one = await held();
    bench.oura.scope = 'activity something-new';
    await bench.db.pool.query(`update connection set token_expires_at = now() where tenant_id = $1`, [one.scope.tenantId]);
    await bench.window(one, { collection: 'workout', from: '2026-09-15', to: '2026-09-16' });
    await bench.fetch(one, worker(undefined, everything).context);
    expect(await scopes(one)).toMatchObject({ scopes: ['activity'], permissions_due: true });
    await bench.window(one, { collection: 'workout', from: '2026-09-16', to: '2026-09-17' });
    await bench.fetch(one, worker(undefined, everything).context);
    expect(await hidden(one)).toEqual(['group-1', 'w-2', '2026-09-14']);
    expect(await scopes(one)).toMatchObject({ permissions_due: false });
  });

  it('and not when the answer speaks of something else, or of nothing', async () => {
    const one = await held();
    for (const scope of [undefined, 'PARTNER_WRITE PARTNER_READ']) {
      bench.oura.scope = scope;
      await bench.db.pool.query(`update connection set token_expires_at = now() where tenant_id = $1`, [one.scope.tenantId]);
      await bench.window(one, { collection: 'workout', from: '2026-09-15', to: `2026-09-${scope === undefined ? 16 : 17}` });
      await bench.fetch(one, worker(undefined, everything).context);
      expect(await scopes(one)).toEqual({ scopes: ['health', 'activity'], permissions_due: false });
    }
    expect(bench.oura.calls.refresh).toBe(2);
  });

  it('when the provider refuses what needs it for hours, and not before', async () => {
    const one = await held();
    const refusing = worker(undefined, { ...everything, sleep: { is: 'forbidden', scope: 'health' } });
    await bench.window(one, { collection: 'sleep', from: '2026-10-14', to: '2026-10-15', priority: 0 });
    for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
      await bench.makeDue(one);
      await bench.fetch(one, refusing.context);
      expect([await hidden(one), await scopes(one)]).toEqual([[], { scopes: ['health', 'activity'], permissions_due: false }]);
    }
    await bench.makeDue(one);
    await bench.fetch(one, refusing.context);
    expect(await scopes(one)).toEqual({ scopes: ['activity'], permissions_due: false });
    expect(await hidden(one)).toEqual(['group-1', 'w-2', '2026-09-14']);
    expect(await bench.letters(one)).toMatchObject([{ bucket: 'unresolvable', code: 'forbidden', detail: 'scope health', open: true }]);
    // Permitted again, its letter is closed and its window read.
    await permissionsChange(one, worker(['health', 'activity'], everything));
    expect(await bench.letters(one)).toMatchObject([{ open: false, close_reason: 'permitted' }]);
    await bench.fetch(one, worker(undefined, everything).context);
    expect(await windowsOf(one, 'sleep')).not.toContain('dead');
  });
});

describe('what a killed process left half done', () => {
  it('is done by the next window: no row is told twice, and the scopes once', async () => {
    const one = await held();
    await setScopes(bench.db.pool, one.scope, one.connection.id, ['activity']);
    // As if the first page of rows had been hidden, and then the process was gone.
    await bench.db.pool.query(
      `update measurement_record set deleted = true, delete_reason = 'permission_revoked', version = version + 1 where tenant_id = $1 and record_id = 'w-2'`,
      [one.scope.tenantId],
    );
    await bench.window(one, { collection: 'workout', from: '2026-09-16', to: '2026-09-17' });
    await bench.fetch(one, worker(undefined, everything).context);
    expect((await since(one, 4)).map(({ type }) => type)).toEqual(['record.deleted', 'record.deleted', 'connection.updated']);
    expect(await hidden(one)).toHaveLength(3);
  });
});

describe('whether a collection may be read', () => {
  it.each([
    ['sleep', ['health'], true],
    ['sleep', ['activity'], false],
    ['sleep', [], false],
    ['sleep', ['health_all'], true],
    // Words that are not ours forbid nothing, and nor does what we do not know.
    ['sleep', ['PARTNER_READ'], true],
    ['unheard-of', ['activity'], true],
    [grantCollection, [], true],
  ] as const)('%s with %j: %s', (collection, granted, expected) => {
    expect(isPermitted({ collections }, collection, granted)).toBe(expected);
  });
});

describe('C080 a read that began while it was permitted', () => {
  /** A worker whose read of sleep is answered when the test says so. */
  function slow() {
    const { context } = worker(undefined, everything);
    const provider = context.providers.get('oura') as Provider;
    const [begun, release] = [signal(), signal()];
    const fetchRecords: Provider['fetchRecords'] = async (...asked) => {
      begun.give();
      await release.given;
      return provider.fetchRecords(...asked);
    };
    return { begun, release, context: { ...context, providers: new Map([['oura', { ...provider, fetchRecords }]]) } };
  }

  it('writes nothing once it is not, though a backfill asked for it', async () => {
    const one = await person();
    await new BackfillWorld(bench).begin(one, { days: 3, parts: [{ collection: 'sleep' }] });
    const { begun, release, context } = slow();
    const reading = bench.fetch(one, context);
    await begun.given;
    await permissionsChange(one, worker(['activity'], everything));
    release.give();
    await reading;
    expect(await records(one)).toEqual([]);
    await bench.makeDue(one);
    await bench.fetch(one, worker(undefined, everything).context);
    expect(await records(one)).toEqual([]);
    expect((await bench.rows('select state from backfill_part where tenant_id = $1', one)).map((row) => row['state'])).not.toContain(
      'running',
    );
  });

  it('has lost its lease before the first row is hidden', async () => {
    const one = await held();
    await bench.window(one, { collection: 'sleep', from: '2026-09-16', to: '2026-09-17' });
    const { begun, release, context } = slow();
    const reading = bench.fetch(one, context);
    await begun.given;
    // Whoever hides waits for this, as for an apply of the same person.
    const other = await bench.db.pool.connect();
    await other.query('begin');
    await lockPeople(other, one.scope, [{ userId: one.user.id, provider: 'oura' }]);
    const narrowing = permissionsChange(one, worker(['activity'], everything));
    await waitFor(async () => (await windowsOf(one, 'sleep')).every((state) => state !== 'fetching'));
    expect(await hidden(one)).toEqual([]);
    await other.query('commit');
    other.release();
    release.give();
    await Promise.all([narrowing, reading]);
    expect(await hidden(one)).toEqual(['group-1', 'w-2', '2026-09-14']);
  });
});

function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

async function waitFor(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 5_000; !(await holds()); await new Promise((done) => setTimeout(done, 20)))
    if (Date.now() > end) throw new Error('waited in vain');
}
