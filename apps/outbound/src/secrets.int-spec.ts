import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addEndpointSecret, deleteEndpointSecret, insertEndpointSecret } from '@tributary/storage';
import { SliceWorld } from '../testing/slice-world.js';

// doubles: none.  oracle: the library standardwebhooks, over what the receiver got.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

const made = (n: number) => {
  const id = `sec_${world.scope.tenantId}_${n}`;
  const secret = `whsec_${Buffer.alloc(32, n).toString('base64')}`;
  const { tenantId, environment } = world.scope;
  const sealed = world.keys.seal(secret, `endpoint_secret:${id}`);
  return { secret, row: { tenantId, environment, endpointId: world.endpoint.id, id, sealed, publicKey: null } };
};
const send = async (id: string) => {
  await world.outbound().run(world.ref());
  const sent = world.receiver.received.find(({ headers }) => headers['webhook-id'] === id);
  if (!sent) throw new Error(`${id} was not received`);
  return { sent, signatures: String(sent.headers['webhook-signature']).split(' ') };
};

describe('events that waited are signed with the secrets of the moment', () => {
  it('rotated while it waited: both sign, and either verifies', async () => {
    await world.owe('evt_rotated');
    const next = made(1);
    await addEndpointSecret(world.db.pool, { ...next.row, overlapS: 60 });
    const { sent, signatures } = await send('evt_rotated');
    expect(signatures).toHaveLength(2);
    expect(world.verified(sent, next.secret)).toEqual(world.verified(sent));
  });

  it('rotated without overlap: the new one alone', async () => {
    await world.owe('evt_alone');
    const next = made(2);
    await addEndpointSecret(world.db.pool, { ...next.row, overlapS: 0 });
    const { sent, signatures } = await send('evt_alone');
    expect(signatures).toHaveLength(1);
    expect(world.verified(sent, next.secret)).toMatchObject({ type: 'daily.updated' });
    expect(() => world.verified(sent)).toThrow();
  });

  it('revoked between two attempts: the retry is not signed with it, under the same id', async () => {
    world.receiver.behave({ do: 'answer', status: 500 });
    await world.owe('evt_revoked');
    const next = made(3);
    await insertEndpointSecret(world.db.pool, next.row);
    const first = await send('evt_revoked');
    expect(first.signatures).toHaveLength(2);
    expect(await deleteEndpointSecret(world.db.pool, world.scope, world.endpoint.id, world.endpoint.secretId)).toBe(true);
    expect(await deleteEndpointSecret(world.db.pool, world.scope, world.endpoint.id, world.endpoint.secretId)).toBe(false);
    world.receiver.behave({ do: 'answer', status: 204 });
    await world.makeDue();
    await world.outbound().run(world.ref());
    const [, retry] = world.receiver.received;
    expect(retry?.headers['webhook-id']).toBe('evt_revoked');
    expect(String(retry?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(world.verified(retry, next.secret)).toMatchObject({ deliveryAttempt: 2 });
    expect(() => world.verified(retry)).toThrow();
  });
});
