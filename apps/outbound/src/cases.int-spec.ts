import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SliceWorld } from '../testing/slice-world.js';

// What others have met, at the sender. doubles: none.  oracles: what the receiver got, and rows.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

describe('dedupe', () => {
  it('C019: a receiver that took the event and answered too late gets it again under the same id, signed anew', async () => {
    await world.owe('evt_once');
    world.receiver.behave({ do: 'hang' });
    await world.outbound({ deadlineMs: 200 }).run(world.ref());
    world.receiver.behave({ do: 'answer', status: 204 });
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_once', 'evt_once']);
    const bodies = world.receiver.received.map((one) => world.verified(one));
    expect(bodies.map((body) => [body['deliveryAttempt'], body['data']])).toEqual([
      [1, { id: 'evt_once', note: 'Zoë 😀' }],
      [2, { id: 'evt_once', note: 'Zoë 😀' }],
    ]);
    expect(await world.rows('select count(*)::int as n from event where id = $1', 'evt_once')).toEqual([{ n: 1 }]);
  });

  it('C019: two processes that send at the same moment send one event under one id to each endpoint', async () => {
    const other = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/other` });
    const ids = Array.from({ length: 30 }, (_, n) => `evt_both_${n}`);
    for (const id of ids) await world.owe(id, { to: [world.endpoint, other] });
    const processes = [world.outbound(), world.outbound()];
    for (let round = 0; round < 4; round += 1)
      await Promise.all(processes.flatMap((one) => [one.run(world.ref()), one.run(world.ref(other))]));
    const got = (path: string) =>
      world.receiver.received
        .filter((one) => one.path === path)
        .map(({ headers }) => headers['webhook-id'] as string)
        .sort();
    expect(got('/hooks')).toEqual([...ids].sort());
    expect(got('/other')).toEqual([...ids].sort());
  });
});

describe('large payload and unicode', () => {
  it('C114: an emoji in an event is signed as the bytes that are sent', async () => {
    const data = JSON.stringify({ title: 'Ranní běh 🏃‍♀️', 'clé 🔑': '\u2028' });
    await world.owe('evt_emoji', { data });
    await world.outbound().run(world.ref());
    expect(world.verified(world.receiver.received[0])['data']).toEqual(JSON.parse(data));
    expect(world.receiver.received[0]?.body.includes(Buffer.from(data))).toBe(true);
  });

  it('C120: the signature covers what was sent, to the last byte of a large one, whose length is told before', async () => {
    await world.owe('evt_large', { data: JSON.stringify({ note: 'é'.repeat(200_000) }) });
    await world.outbound().run(world.ref());
    const [sent] = world.receiver.received;
    expect(world.verified(sent)['data']).toMatchObject({ note: expect.stringMatching(/^é+$/) });
    expect(Number(sent?.headers['content-length'])).toBe(sent?.body.length);
    const cut = sent && { ...sent, body: sent.body.subarray(0, sent.body.length - 1) };
    expect(() => world.verified(cut)).toThrow();
  });
});
