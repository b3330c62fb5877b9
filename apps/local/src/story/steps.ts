import { randomUUID } from 'node:crypto';
import type { ApiSchemas } from '@tributary/sdk/api';
import { pause, until } from './http.js';
import type { Stage } from './stage.js';

/** What the earlier steps made, for the later ones. */
export interface Cast {
  appId: string;
  appKey: string;
  clientSecret: string;
  endpointId: string;
  userId: string;
  externalId: string;
  connectionId: string;
  subjectId: string;
}

/** One step of the story. It returns the counts that it checked, and throws when one is not what it must be. */
export interface Step {
  readonly name: string;
  readonly title: string;
  run(stage: Stage, cast: Cast): Promise<Record<string, number | string | boolean>>;
}

export function expectThat(claim: boolean, what: string): void {
  if (!claim) throw new Error(`expected ${what}`);
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString().replace('Z', '000+00:00');

/** Days that the steps write to: one each, so that no step leans on another's value. */
const days = { ping: day(2), eleven: day(3), replace: day(4), down: [day(5), day(6), day(7)] as const, gone: day(8), rotate: day(9) };

const object = (stage: Stage, cast: Cast) => ({
  async put(date: string, steps: number): Promise<string> {
    const id = `${cast.subjectId}-${date}`;
    await stage.activity(cast.subjectId, { id, day: date, steps });
    return id;
  },
});

export const steps: readonly Step[] = [
  {
    name: 'connected',
    title: 'a user connects',
    async run(stage, cast) {
      const clientId = `demo-${randomUUID().slice(0, 8)}`;
      cast.clientSecret = randomUUID();
      const app = await stage.api<{ id: string; appKey: string; redirectUri: string }>('POST', '/provider-apps', {
        provider: 'oura',
        clientId,
        clientSecret: cast.clientSecret,
        sandbox: true,
      });
      cast.appId = app.id;
      cast.appKey = app.appKey;
      await stage.sandbox('POST', '/apps', { clientId, clientSecret: cast.clientSecret, redirectUris: [app.redirectUri] });
      await stage.api('POST', `/provider-apps/${app.id}/subscriptions`);
      const active = await stage.api<{ state: string }>('GET', `/provider-apps/${app.id}`);
      expectThat(active.state === 'active', `the provider's handshake to succeed, the app is ${active.state}`);

      const endpoint = await stage.api<{ id: string; secret: string }>('POST', '/endpoints', {
        url: `${stage.settings.receiver}/webhooks`,
        description: 'demo receiver',
        scheduleS: [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
      });
      cast.endpointId = endpoint.id;
      await stage.receiver({ secrets: [endpoint.secret], mode: 'up' });

      cast.externalId = `customer-user-${randomUUID()}`;
      ({ id: cast.userId } = await stage.api<{ id: string }>('POST', '/users', { externalId: cast.externalId }));
      ({ subjectId: cast.subjectId } = await stage.sandbox<{ subjectId: string }>('POST', '/people', { name: 'Ada' }));
      const session = await stage.api<{ authorizeUrl: string }>('POST', '/connect-sessions', { userId: cast.userId, provider: 'oura' });
      const consent = await fetch(`${session.authorizeUrl}&person=${cast.subjectId}`, { redirect: 'follow' });
      await consent.text();
      expectThat(consent.ok, `the consent to end well, it answered ${consent.status}`);
      const page = await stage.api<{ data: { id: string; status: string }[] }>('GET', `/connections?userId=${cast.userId}`);
      expectThat(page.data.length === 1 && page.data[0]?.status === 'active', 'one active connection');
      cast.connectionId = page.data[0]?.id ?? '';
      const state = await until('connection.created at the receiver', async () => {
        const seen = await stage.state();
        return seen.events.some(({ type }) => type === 'connection.created') ? seen : undefined;
      });
      return { connections: page.data.length, events: state.events.length };
    },
  },
  {
    name: 'ping-event',
    title: 'a ping becomes one signed event',
    async run(stage, cast) {
      await stage.quiet();
      const id = await object(stage, cast).put(days.ping, 2_100);
      const begin = performance.now();
      const { deliveries } = await stage.webhook({
        subjectId: cast.subjectId,
        collection: 'daily_activity',
        objectId: id,
        eventType: 'create',
      });
      const state = await stage.holds(`steps/${days.ping}`, 2_100);
      const totalMs = Math.round(performance.now() - begin);
      const { data } = await stage.api<ApiSchemas['DailyValuePage']>(
        'GET',
        `/users/${cast.userId}/daily?metric=steps&from=${days.ping}&to=${days.ping}`,
      );
      const values = data.map(({ record }) => record.value);
      expectThat(values.length === 1 && values[0] === 2_100, `the API to say 2100, it says ${values.join()}`);
      expectThat(deliveries[0]?.status === 200, `200 for the provider, it got ${deliveries[0]?.status}`);
      return {
        ackMs: Math.round(deliveries[0]?.ms ?? 0),
        eventMs: totalMs,
        value: 2_100,
        events: state.events.filter(({ key }) => key === `steps/${days.ping}`).length,
      };
    },
  },
  {
    name: 'eleven-pings',
    title: 'eleven pings become one fetch and one event',
    async run(stage, cast) {
      await stage.quiet();
      const [before, reads] = [await stage.state(), await stage.calls(cast.subjectId)];
      const id = await object(stage, cast).put(days.eleven, 5_240);
      const sent = await Promise.all(
        Array.from({ length: 11 }, (_, n) =>
          stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: id, eventType: 'update', eventTime: at(n) }),
        ),
      );
      await stage.holds(`steps/${days.eleven}`, 5_240);
      await stage.quiet();
      const [after, readsAfter] = [await stage.state(), await stage.calls(cast.subjectId)];
      const counts = {
        pings: sent.flatMap(({ deliveries }) => deliveries).filter(({ status }) => status === 200).length,
        fetches: readsAfter.objectReads - reads.objectReads,
        events: countOf(after, `steps/${days.eleven}`) - countOf(before, `steps/${days.eleven}`),
      };
      expectThat(
        counts.pings === 11 && counts.fetches === 1 && counts.events === 1,
        `11 pings, 1 fetch, 1 event; saw ${JSON.stringify(counts)}`,
      );
      return counts;
    },
  },
  {
    name: 'retried-post',
    title: 'a retried POST changes nothing',
    async run(stage, cast) {
      await stage.quiet();
      const [before, reads, rows] = [await stage.state(), await stage.calls(cast.subjectId), await stage.count('webhook_delivery')];
      const { deliveries } = await stage.webhook({
        subjectId: cast.subjectId,
        collection: 'daily_activity',
        objectId: `${cast.subjectId}-${days.eleven}`,
        eventType: 'update',
        repeat: 'same-bytes',
        copies: 3,
      });
      await pause(1_500);
      await stage.quiet();
      const [after, readsAfter, rowsAfter] = [
        await stage.state(),
        await stage.calls(cast.subjectId),
        await stage.count('webhook_delivery'),
      ];
      const counts = {
        acknowledged: deliveries.filter(({ status }) => status === 200).length,
        newRows: rowsAfter - rows,
        fetches: readsAfter.objectReads - reads.objectReads,
        events: after.events.length - before.events.length,
      };
      expectThat(
        counts.acknowledged === 3 && counts.newRows === 0 && counts.fetches === 0 && counts.events === 0,
        `3 acknowledged and nothing done; saw ${JSON.stringify(counts)}`,
      );
      return counts;
    },
  },
  {
    name: 'higher-version-replaces',
    title: '2 100 then 8 431 is 8 431',
    async run(stage, cast) {
      const at2100 = await object(stage, cast).put(days.replace, 2_100);
      await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: at2100, eventType: 'create' });
      await stage.holds(`steps/${days.replace}`, 2_100);
      await object(stage, cast).put(days.replace, 8_431);
      await stage.webhook({ subjectId: cast.subjectId, collection: 'daily_activity', objectId: at2100, eventType: 'update' });
      await stage.holds(`steps/${days.replace}`, 8_431);
      await stage.quiet();
      const rows = await stage.rows<{ value: number }>(
        `select value from daily_rollup where tenant_id = $1 and user_id = $2 and metric = 'steps' and local_date = $3`,
        [stage.settings.tenantId, cast.userId, days.replace],
      );
      expectThat(rows.length === 1 && rows[0]?.value === 8_431, `one row of 8431, saw ${JSON.stringify(rows)}`);
      return { rows: rows.length, stored: rows[0]?.value ?? 0, received: 8_431 };
    },
  },
  {
    name: 'older-version-loses',
    title: 'an older version loses',
    async run(stage, cast) {
      await stage.quiet();
      const [before, reads] = [await stage.state(), await stage.calls(cast.subjectId)];
      const { deliveries } = await stage.webhook({
        subjectId: cast.subjectId,
        collection: 'daily_activity',
        objectId: `${cast.subjectId}-${days.replace}`,
        eventType: 'update',
        eventTime: at(-3_600_000),
      });
      await pause(1_500);
      await stage.quiet();
      const [after, readsAfter] = [await stage.state(), await stage.calls(cast.subjectId)];
      const counts = {
        acknowledged: deliveries.filter(({ status }) => status === 200).length,
        fetches: readsAfter.objectReads - reads.objectReads,
        events: after.events.length - before.events.length,
        value: after.values[`steps/${days.replace}`] ?? 0,
      };
      expectThat(
        counts.acknowledged === 1 && counts.fetches === 0 && counts.events === 0 && counts.value === 8_431,
        `acknowledged, ignored, still 8431; saw ${JSON.stringify(counts)}`,
      );
      return counts;
    },
  },
];

export const countOf = (state: { events: readonly { key: string }[] }, key: string) =>
  state.events.filter((event) => event.key === key).length;
export const storyDays = days;
export const putActivity = (stage: Stage, cast: Cast, date: string, count: number) => object(stage, cast).put(date, count);
