import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('the audit log over the API', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());

  it('is read newest first, in pages, and narrowed by action, actor, target and time', async () => {
    const scope = await api.seed.environment();
    const { key, id: actor } = await api.key(scope);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await api.call('POST', '/v1/users', { key, body: { externalId: `person-${n}` } })).body.id);
    const read = async (query: string) => (await api.call('GET', `/v1/audit-log?${query}`, { key })).body;
    const targets = (page: { data: { target: string }[] }) => page.data.map(({ target }) => target);
    const seen: string[] = [];
    let page = await read('limit=2');
    for (;;) {
      seen.push(...targets(page));
      if (page.nextCursor === null) break;
      page = await read(`limit=2&cursor=${page.nextCursor}`);
    }
    expect(seen).toEqual([...ids].reverse());
    const [entry] = (await read(`target=${ids[2]}`)).data;
    expect(entry).toMatchObject({ actor, action: 'user.create', target: ids[2], requestId: expect.stringMatching(/^req_/) });
    expect(targets(await read(`actor=${actor}`))).toHaveLength(5);
    for (const none of ['action=endpoint.create', 'actor=consent', 'to=2020-01-01T00:00:00Z', 'from=2999-01-01T00:00:00Z'])
      expect([none, targets(await read(none))]).toEqual([none, []]);
  });
});
