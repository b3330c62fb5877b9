import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HealthRecord } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { sleepDocument } from '../testing/documents.js';
import { answering, heartRecord, pressureRecord, showing, weightRecord, workoutRecord } from '../testing/records.js';
import { resolveAll, viewOf } from '../testing/resolved-view.js';
import { type SourceColumns, putSource } from '../testing/source-rows.js';
import { resolveViews } from './resolve-views.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const DAY = '2026-09-14';
const steps = (provider: string, value: number, rest: SourceColumns = {}): SourceColumns => ({
  provider,
  metric: 'steps',
  unit: '{steps}',
  local_date: DAY,
  value,
  implausible: false,
  ...rest,
});

/** Somebody whose endpoint takes sources, with a second one of this view. */
async function begin(view: 'resolved' | 'both'): Promise<{ person: Person; other: string }> {
  const person = await bench.person();
  const { id: other } = await bench.seed.endpoint(person.scope);
  await bench.db.pool.query('update endpoint set source_view = $2 where id = $1', [other, view]);
  return { person, other };
}

/** Events of the view, with whom they are owed to. */
async function told(person: Person) {
  const rows = await bench.rows(
    `select e.type, e.revision, e.user_id, e.data, (select array_agg(endpoint_id order by endpoint_id) from event_delivery d where d.event_id = e.id) as to
     from event e where tenant_id = $1 and view = 'resolved' order by revision`,
    person,
  );
  return rows.map((row) => {
    const type = row['type'] as keyof typeof eventSchemas;
    const data = JSON.parse((row['data'] as Buffer).toString()) as Record<string, unknown>;
    expect([type, eventSchemas[type].safeParse(data).error]).toEqual([type, undefined]);
    return { type, revision: row['revision'], userId: row['user_id'], to: row['to'], data };
  });
}

async function read(person: Person, ...records: HealthRecord[]): Promise<void> {
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, showing(bench, ...records));
}

describe('events of the resolved view', () => {
  it('tell who wants them what stands for the day and who won, and say nothing while nothing changes', async () => {
    const { person, other } = await begin('resolved');
    await putSource(bench, person, 'daily', steps('google', 4_157, { type: 'phone' }));
    const part = await resolveViews(bench.context, person.scope);
    expect(part.endpoints).toEqual([other]);
    await putSource(bench, person, 'daily', steps('garmin', 14_079));
    await resolveAll(bench, person);
    // A source that loses is no news.
    await putSource(bench, person, 'daily', steps('polar', 3, { type: 'app' }));
    await resolveAll(bench, person);
    const events = await told(person);
    const revisions = events.map(({ revision }) => revision);
    const common = { user: { id: person.user.id, externalId: person.user.externalId }, metric: 'steps', localDate: DAY, view: 'resolved' };
    expect(events).toMatchObject([
      {
        type: 'daily.updated',
        userId: person.user.id,
        to: [other],
        data: {
          ...common,
          provider: 'google',
          change: 'created',
          revision: revisions[0],
          source: { id: 'src_phone', type: 'phone' },
          resolution: { picked: { provider: 'google', sourceId: 'src_phone', recordId: null } },
          record: { value: 4_157, unit: '{steps}', statistic: 'sum', implausible: false },
        },
      },
      {
        to: [other],
        data: { ...common, provider: 'garmin', change: 'updated', revision: revisions[1], record: { value: 14_079 } },
      },
    ]);
    const [row] = await viewOf(bench, person);
    expect(row?.revision).toBe(revisions[1]);
  });

  it('are not written where nobody wants them, also not when somebody does elsewhere', async () => {
    await begin('both');
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    expect((await resolveViews(bench.context, person.scope)).endpoints).toEqual([]);
    expect(await told(person)).toEqual([]);
    expect(await viewOf(bench, person)).toHaveLength(1);
  });

  it('change no view again: what they tell of is no source', async () => {
    const { person } = await begin('both');
    await putSource(bench, person, 'daily', steps('garmin', 10));
    expect(await resolveAll(bench, person)).toBe(1);
    expect(await resolveAll(bench, person)).toBe(0);
    const part = await resolveViews(bench.context, person.scope);
    expect([part.changed, part.more, await told(person)]).toEqual([[], false, [expect.objectContaining({ type: 'daily.updated' })]]);
  });

  it('tell when nothing stands for the day any more, and of whom it was', async () => {
    const { person, other } = await begin('resolved');
    await putSource(bench, person, 'daily', steps('garmin', 10));
    await resolveAll(bench, person);
    await putSource(bench, person, 'daily', steps('garmin', 10, { deleted: true }));
    await resolveAll(bench, person);
    const [, gone] = await told(person);
    const [row] = await viewOf(bench, person);
    expect(gone).toMatchObject({
      type: 'record.deleted',
      to: [other],
      data: {
        metric: 'steps',
        kind: 'daily_total',
        localDate: DAY,
        provider: 'garmin',
        source: { id: 'src_watch', type: 'watch' },
        reason: 'nothing_resolved',
        view: 'resolved',
        resolution: { picked: null, rule: 'nothing' },
        revision: row?.revision,
      },
    });
    await putSource(bench, person, 'daily', steps('garmin', 11));
    await resolveAll(bench, person);
    expect((await told(person))[2]).toMatchObject({ type: 'daily.updated', data: { change: 'restored', record: { value: 11 } } });
  });

  it('of every kind of record, as its source shows it; samples are linked and not carried', async () => {
    const { person } = await begin('resolved');
    await read(person, workoutRecord(), weightRecord(71), pressureRecord(120, 80), heartRecord([60, 61, 62]));
    await resolveAll(bench, person);
    const events = await told(person);
    expect(events.map(({ data }) => data['metric']).sort()).toEqual(['blood_pressure', 'body_weight', 'heart_rate', 'workout']);
    for (const { type, data } of events) {
      const [source] = (await bench.events(person)).filter(
        (one) => one.data['metric'] === data['metric'] && one.data['view'] === undefined,
      );
      expect([type, data['record']]).toEqual([source?.type, source?.data['record']]);
      expect(data['revision']).toBeGreaterThan(source?.revision as number);
    }
    const series = events.find(({ type }) => type === 'series.updated')?.data;
    expect(series).toMatchObject({
      sampleCount: 3,
      links: {
        self: expect.stringMatching(/^\/v1\/records\/revision\?kind=series.*&view=resolved$/),
        latest: expect.stringContaining('/series?'),
      },
    });
  });

  it('of a session that moves to another day once, with the day that it left', async () => {
    const { person } = await begin('resolved');
    const night = async (day?: string) => {
      bench.oura.put('sleep', day === undefined ? sleepDocument() : sleepDocument({ day }));
      await bench.notice(person, { collection: 'sleep', id: 'night-1' });
      await bench.resolve(person);
      await bench.fetch(person);
      await resolveAll(bench, person);
    };
    await night();
    await night('2026-09-16');
    const nights = (await told(person)).filter(({ data }) => data['metric'] === 'sleep_session');
    expect(nights.map(({ type, data }) => [type, data['localDate'], data['previousLocalDate'], data['change']])).toEqual([
      ['sleep.updated', '2026-09-15', null, 'created'],
      ['sleep.updated', '2026-09-16', '2026-09-15', 'updated'],
    ]);
    expect(nights[1]?.data['recordId']).toBe(nights[0]?.data['recordId']);
  });

  it('of a record that its provider deleted', async () => {
    const { person } = await begin('resolved');
    await read(person, weightRecord(71, { providerRecordId: 'act-1' }));
    await resolveAll(bench, person);
    await bench.notice(person, { kind: 'deleted' });
    await bench.resolve(person);
    await bench.fetch(person, answering(bench, { is: 'gone' }));
    await resolveAll(bench, person);
    expect((await told(person)).map(({ type, data }) => [type, data['recordId']])).toEqual([
      ['measurement.updated', expect.any(String)],
      ['record.deleted', expect.any(String)],
    ]);
  });

  it('tell nobody of a person who is gone', async () => {
    const { person } = await begin('resolved');
    await putSource(bench, person, 'daily', steps('garmin', 10));
    await bench.db.pool.query('delete from connection where user_id = $1', [person.user.id]);
    await bench.db.pool.query('delete from app_user where id = $1', [person.user.id]);
    await resolveAll(bench, person);
    expect([await told(person), await viewOf(bench, person)]).toEqual([[], []]);
  });
});
