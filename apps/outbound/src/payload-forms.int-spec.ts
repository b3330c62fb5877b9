import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { thinData } from '@tributary/handoffs';
import { SliceWorld } from '../testing/slice-world.js';

const world = new SliceWorld();
beforeAll(() => world.open());
afterAll(() => world.close());
beforeEach(() => world.begin());
afterEach(() => world.end());

/** In the order of fields, and with the number, that must survive. */
const stored =
  '{"user":{"id":"usr_1","externalId":"Zoë"},"connectionId":"con_1","provider":"oura","localDate":"2026-09-14","source":{"id":"src_ring"},"revision":12,"metric":"steps","kind":"daily_total","record":{"value":8431.5,"unit":"{steps}"}}';
const key = 'kind=daily&user=usr_1&provider=oura&sourceId=src_ring&metric=steps&localDate=2026-09-14';
const thin = `${stored.slice(0, stored.indexOf(',"record"'))},"links":{"self":"/v1/records/revision?${key}&revision=12","latest":"/v1/records?${key}"}}`;

const head = (attempt: number) => `{"type":"daily.updated","timestamp":"2026-12-01T09:14:00.123Z","deliveryAttempt":${attempt},"data":`;
const bodies = () => world.receiver.received.map(({ body }) => body.toString());

describe('the form in which events are sent', () => {
  it('thin to who wants it thin and full to the others, of the same stored bytes, each signed as it is sent', async () => {
    const other = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/full` });
    await world.rows(`update endpoint set payload = 'thin' where id = $1`, world.endpoint.id);
    await world.owe('evt_forms', { to: [world.endpoint, other], data: stored });
    const outbound = world.outbound();
    await outbound.run(world.ref());
    await outbound.run(world.ref(other));
    expect(bodies()).toEqual([`${head(1)}${thin}}`, `${head(1)}${stored}}`]);
    const [first, second] = world.receiver.received;
    expect(world.verified(first)).toMatchObject({ data: { revision: 12, links: { self: expect.stringContaining('revision=12') } } });
    expect(world.verified(second, other.secret)).toMatchObject({ data: { record: { value: 8431.5 } } });
    expect([first?.headers['webhook-id'], second?.headers['webhook-id']]).toEqual(['evt_forms', 'evt_forms']);
    expect((await world.rows('select data from event where id = $1', 'evt_forms'))[0].data.toString()).toBe(stored);
  });

  it('the same bytes over retries, but for the number of the attempt', async () => {
    await world.rows(`update endpoint set payload = 'thin' where id = $1`, world.endpoint.id);
    world.receiver.behave({ do: 'answer', status: 503 });
    await world.owe('evt_retried', { data: stored });
    const outbound = world.outbound();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await world.makeDue();
      await outbound.run(world.ref());
    }
    expect(bodies()).toEqual([1, 2, 3].map((attempt) => `${head(attempt)}${thin}}`));
    expect(await world.attempts('evt_retried')).toHaveLength(3);
  });

  it('what has no record is the same in both forms', async () => {
    await world.rows(`update endpoint set payload = 'thin' where id = $1`, world.endpoint.id);
    const deleted = '{"metric":"steps","kind":"daily_total","reason":"provider_deleted","revision":13}';
    await world.owe('evt_deleted', { type: 'record.deleted', data: deleted });
    await world.outbound().run(world.ref());
    expect(bodies()).toEqual([`${head(1).replace('daily.updated', 'record.deleted')}${deleted}}`]);
    expect(thinData(Buffer.from(deleted)).toString()).toBe(deleted);
  });
});
