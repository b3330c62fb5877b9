import { randomUUID } from 'node:crypto';
import { pause, until } from './http.js';
import { type Step, countOf, expectThat, putActivity, storyDays } from './steps.js';

/** The part of the story in which things go wrong. */
export const hostileSteps: readonly Step[] = [
  {
    name: 'forged-and-stale-refused',
    title: 'forged, altered, unsigned and stale requests are refused',
    async run(stage, cast) {
      await stage.quiet();
      const [before, reads, rows] = [await stage.state(), await stage.calls(cast.subjectId), await stage.count('webhook_delivery')];
      const statuses: number[] = [];
      for (const forge of ['signature', 'body', 'none', 'truncated', 'stale'] as const) {
        const { deliveries } = await stage.webhook({
          subjectId: cast.subjectId,
          collection: 'daily_activity',
          objectId: randomUUID(),
          eventType: 'update',
          forge,
        });
        statuses.push(...deliveries.map(({ status }) => status));
      }
      await stage.quiet();
      const [after, readsAfter] = [await stage.state(), await stage.calls(cast.subjectId)];
      const counts = {
        refused: statuses.filter((status) => status === 401).length,
        newRows: (await stage.count('webhook_delivery')) - rows,
        fetches: readsAfter.objectReads - reads.objectReads,
        events: after.events.length - before.events.length,
      };
      expectThat(
        counts.refused === 5 && counts.newRows === 0 && counts.fetches === 0 && counts.events === 0,
        `5 refused and nothing stored; saw ${JSON.stringify({ ...counts, statuses })}`,
      );
      return counts;
    },
  },
  {
    name: 'secret-rotation',
    title: 'a rotated secret is accepted, the old one refused afterwards',
    async run(stage, cast) {
      const [oldSecret, newSecret] = [cast.clientSecret, randomUUID()];
      await stage.api('POST', `/provider-apps/${cast.appId}/secrets`, { purpose: 'client_secret', value: newSecret, overlapS: 3 });
      const overlapEnds = Date.now() + 3_000;
      const id = await putActivity(stage, cast, storyDays.rotate, 3_333);
      const send = async (secret: string) =>
        (await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: id, eventType: 'update', secret }))
          .deliveries[0]?.status ?? 0;
      const overlap = await until(
        'the new secret to be known to ingest',
        async () => {
          const status = await send(newSecret);
          return status === 200 ? { newSecret: status, oldSecret: await send(oldSecret) } : undefined;
        },
        2_500,
      );
      await stage.holds(`steps/${storyDays.rotate}`, 3_333);
      await stage.sandbox(
        'POST',
        `/apps/${(await stage.api<{ clientId: string }>('GET', `/provider-apps/${cast.appId}`)).clientId}/rotate-secret`,
        { clientSecret: newSecret },
      );
      cast.clientSecret = newSecret;
      await pause(Math.max(0, overlapEnds + 200 - Date.now()));
      const after = { newSecret: await send(newSecret), oldSecret: await send(oldSecret) };
      expectThat(
        overlap.newSecret === 200 && overlap.oldSecret === 200 && after.newSecret === 200 && after.oldSecret === 401,
        `both, then only the new one; saw ${JSON.stringify({ overlap, after })}`,
      );

      const rotated = await stage.api<{ secret: string }>('POST', `/endpoints/${cast.endpointId}/rotate-secret`, { overlapS: 0 });
      await stage.receiver({ secrets: [rotated.secret] });
      const { refused } = await stage.state();
      const moved = await putActivity(stage, cast, storyDays.rotate, 3_334);
      await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: moved, eventType: 'update' });
      await stage.holds(`steps/${storyDays.rotate}`, 3_334);
      return {
        oldDuringOverlap: overlap.oldSecret,
        newDuringOverlap: overlap.newSecret,
        oldAfter: after.oldSecret,
        newAfter: after.newSecret,
        refusedByReceiver: (await stage.state()).refused - refused,
      };
    },
  },
  {
    name: 'receiver-down',
    title: 'the receiver is down, comes back, and nothing is lost',
    async run(stage, cast) {
      await stage.quiet();
      await stage.receiver({ mode: 'down' });
      const before = await stage.state();
      for (const [n, date] of storyDays.down.entries()) {
        const id = await putActivity(stage, cast, date, 7_000 + n);
        await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: id, eventType: 'create' });
      }
      const turnedAway = await until('attempts that fail', async () => {
        const { turnedAway: tries } = await stage.state();
        return tries - before.turnedAway >= 3 ? tries - before.turnedAway : undefined;
      });
      await stage.receiver({ mode: 'up' });
      for (const [n, date] of storyDays.down.entries()) await stage.holds(`steps/${date}`, 7_000 + n);
      await stage.quiet();
      const after = await stage.state();
      const [owed] = await stage.rows<{ n: string }>(
        `select count(*) as n from event_delivery where tenant_id = $1 and state <> 'delivered'`,
        [stage.settings.tenantId],
      );
      const lost = storyDays.down.filter((date) => countOf(after, `steps/${date}`) !== 1).length;
      expectThat(lost === 0 && Number(owed?.n) === 0, `each event handled once; ${lost} days wrong, ${owed?.n} deliveries not delivered`);
      return { failedAttempts: turnedAway, recovered: storyDays.down.length, lost, undelivered: Number(owed?.n) };
    },
  },
  {
    name: 'deleted',
    title: 'what the provider deletes is taken back',
    async run(stage, cast) {
      const id = await putActivity(stage, cast, storyDays.gone, 1_234);
      await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: id, eventType: 'create' });
      await stage.holds(`steps/${storyDays.gone}`, 1_234);
      await stage.sandbox('DELETE', `/people/${cast.subjectId}/documents/daily_activity/${id}`);
      await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: id, eventType: 'delete' });
      await stage.holds(`steps/${storyDays.gone}`, null);
      const { data } = await stage.api<{ data: unknown[] }>(
        'GET',
        `/users/${cast.userId}/daily?metric=steps&from=${storyDays.gone}&to=${storyDays.gone}`,
      );
      expectThat(data.length === 0, `no value at the API, it shows ${data.length}`);
      return { shownByApi: data.length };
    },
  },
  {
    name: 'erased-stays-gone',
    title: 'an erased user stays gone after a late webhook',
    async run(stage, cast) {
      await stage.quiet();
      const receipt = await stage.api<{ erasureId?: string; id?: string }>('DELETE', `/users/${cast.userId}`);
      await until('user.erased at the receiver', async () =>
        (await stage.state()).events.some(({ type }) => type === 'user.erased') ? true : undefined,
      );
      await stage.quiet();
      const before = await stage.state();
      const { deliveries } = await stage.webhook({
        subjectId: cast.subjectId,
        collection: 'daily_activity',
        objectId: `${cast.subjectId}-${storyDays.replace}`,
        eventType: 'update',
      });
      await pause(1_500);
      const traces = await until(
        'the last trace to be scrubbed',
        async () => {
          const found = await traceCount(stage, [cast.userId, cast.connectionId, cast.subjectId, cast.externalId]);
          return found === 0 ? found : undefined;
        },
        10_000,
      );
      const after = await stage.state();
      const counts = {
        lateWebhook: deliveries[0]?.status ?? 0,
        traces,
        events: after.events.length - before.events.length,
        valuesAtCustomer: Object.values(after.values).filter((value) => value !== null).length,
      };
      expectThat(
        counts.lateWebhook === 200 && counts.events === 0 && counts.valuesAtCustomer === 0,
        `acknowledged, no row, no event; saw ${JSON.stringify(counts)}`,
      );
      expectThat((receipt.erasureId ?? receipt.id) !== undefined, 'a receipt');
      return counts;
    },
  },
];

/** How many rows of the database, the queue's included, hold any of these ids in any column. */
async function traceCount(stage: import('./stage.js').Stage, ids: readonly string[]): Promise<number> {
  const tables = await stage.rows<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema in ('public', 'bullmq') and table_type = 'BASE TABLE' order by 1`,
  );
  let found = 0;
  for (const { name } of tables) {
    const [row] = await stage.rows<{ n: string }>(
      `select count(*) as n from ${name} as t
        where exists (select 1 from unnest($1::text[]) as id
                       where position(id in t::text) > 0 or position(encode(convert_to(id, 'utf8'), 'hex') in t::text) > 0)`,
      [ids],
    );
    found += Number(row?.n);
  }
  return found;
}
