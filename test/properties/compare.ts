import { createHash } from 'node:crypto';
import { type HealthRecord, addDays, recordContent, roundRecord } from '@tributary/domain';
import { rowName } from '@tributary/storage';
import { seenRows } from '../../apps/worker/src/seen-rows.js';
import type { PersonUnderTest } from './world-under-test.js';

/** Contents by key. */
export type State = Readonly<Record<string, string>>;

const tables = {
  daily_rollup: 'metric, source_id as "sourceId", local_date::text as "localDate"',
  session_record: 'kind, source_id as "sourceId", record_id as "recordId", local_date::text as "localDate"',
  measurement_record: 'metric, source_id as "sourceId", record_id as "recordId", local_date::text as "localDate"',
  series_day: 'metric, source_id as "sourceId", item, local_date::text as "localDate"',
} as const;

/** The live rows that we hold of a person. */
export async function heldState({ world, person }: PersonUnderTest): Promise<State> {
  const held: Record<string, string> = {};
  for (const [table, key] of Object.entries(tables)) {
    const rows = await world.bench.rows(
      `select ${key}, encode(content_hash, 'hex') as hash from ${table} where tenant_id = $1 and not deleted`,
      person,
    );
    for (const { hash, ...row } of rows) held[rowName({ table, ...row } as Parameters<typeof rowName>[0])] = String(hash);
  }
  return held;
}

/** Keys that only one of both has, or that differ. */
export function differences(held: State, truth: State): string[] {
  return [...new Set([...Object.keys(held), ...Object.keys(truth)])]
    .filter((key) => held[key] !== truth[key])
    .map((key) => `${key} ${truth[key] === undefined ? 'should not be there' : held[key] === undefined ? 'is missing' : 'is another'}`)
    .sort();
}

/** What the stand-in holds, by a fresh read of everything. */
export async function trueState(who: PersonUnderTest): Promise<State> {
  const { world, provider, person, subjectId } = who;
  const { accessToken } = await world.grant(provider.id, subjectId, person.app.clientId);
  const base = `${world.providers.url}/${provider.id}`;
  const now = world.context.clock();
  const today = new Date(now).toISOString().slice(0, 10);
  const context = {
    http: world.context.http,
    origins: { api: base, authorize: base, token: base },
    accessToken,
    now,
    whereabouts: await who.whereabouts(),
  };
  const records: HealthRecord[] = [];
  for (const [collection, { byDays, spanDays = 30 }] of Object.entries(provider.collections)) {
    // Garmin's past is asked for in a collection of its own and comes by webhook.
    if (collection.startsWith('backfill/')) continue;
    const windows = byDays ? spansBack(today, 40, spanDays) : uploadsBack(now, 10);
    for (const window of windows) {
      const outcome = await provider.fetchRecords(collection, window, context);
      if (outcome.is === 'gone') continue;
      if (outcome.is !== 'records' || !outcome.complete || (outcome.faults ?? []).length > 0)
        throw new Error(`the truth of ${provider.id}/${collection} cannot be read: ${JSON.stringify(outcome).slice(0, 300)}`);
      records.push(...outcome.records);
    }
  }
  const owner = { ...person.scope, userId: person.user.id, connectionId: person.connection.id, provider: provider.id };
  const { rows } = seenRows(records, {
    readVersion: now * 1000,
    fresh: { from: now, to: now },
    via: 'pull',
    complete: true,
    clockDomain: provider.id,
    normalizerVersion: 1,
    collection: '',
    owner,
  });
  const hashes = new Map(
    records.flatMap((record) =>
      record.kind === 'deleted'
        ? []
        : [
            [
              record,
              createHash('sha256')
                .update(recordContent(roundRecord(record)))
                .digest('hex'),
            ] as const,
          ],
    ),
  );
  if (hashes.size < rows.length) throw new Error('more rows than records');
  return Object.fromEntries(rows.map(({ name, row }) => [name, row.contentHash.toString('hex')]));
}

function spansBack(today: string, days: number, spanDays: number) {
  const windows = [];
  for (let to = addDays(today, 1); to > addDays(today, -days); to = addDays(to, -spanDays)) {
    windows.push({ kind: 'days', from: addDays(to, -spanDays), to } as const);
  }
  return windows.reverse();
}

/** Garmin is read by the time of upload, a day at a time. */
function uploadsBack(now: number, days: number) {
  const at = (ago: number) => new Date(now - ago * 86_400_000 + 3_600_000).toISOString();
  return Array.from({ length: days }, (_, n) => ({ kind: 'instants', from: at(days - n), to: at(days - n - 1) }) as const);
}
