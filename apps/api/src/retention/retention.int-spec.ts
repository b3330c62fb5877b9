import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('how long an environment keeps what', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(() => api.stop());

  const patch = (body: unknown) => api.call('PATCH', '/v1/environment/retention', { key, body });
  const stored = () =>
    api.rows('select body_days::int, event_days::int, record_days from environment where tenant_id = $1', [scope.tenantId]);

  it('has defaults, and changes what is named and nothing else, with a line in the audit log', async () => {
    const { body } = await api.call('GET', '/v1/environment/retention', { key });
    expect(body).toEqual({ bodyDays: 7, eventDays: 30, recordDays: null });
    expect((await patch({ recordDays: 400 })).body).toEqual({ bodyDays: 7, eventDays: 30, recordDays: 400 });
    expect((await patch({ eventDays: 90, bodyDays: 1 })).body).toEqual({ bodyDays: 1, eventDays: 90, recordDays: 400 });
    expect(await stored()).toEqual([{ body_days: 1, event_days: 90, record_days: 400 }]);
    expect((await patch({ recordDays: null })).body.recordDays).toBeNull();
    expect(await api.rows('select action, target from audit_log where tenant_id = $1', [scope.tenantId])).toEqual(
      Array.from({ length: 3 }, () => ({ action: 'retention.update', target: scope.environment })),
    );
  });

  it('refuses what would break replays, repeats or sense, and changes nothing then', async () => {
    const before = await stored();
    for (const [body, path] of [
      [{ eventDays: 6 }, 'eventDays'],
      [{ eventDays: null }, 'eventDays'],
      [{ bodyDays: 28 }, 'bodyDays'],
      [{ recordDays: 1 }, 'recordDays'],
      [{ days: 30 }, 'days'],
    ] as const) {
      const { status, body: answer } = await patch(body);
      expect([status, answer.faults?.[0]?.path]).toEqual([422, path]);
    }
    expect(await stored()).toEqual(before);
  });

  it('is the setting of one environment', async () => {
    const other = await api.key(await api.seed.environment());
    await patch({ eventDays: 100 });
    expect((await api.call('GET', '/v1/environment/retention', { key: other.key })).body.eventDays).toBe(30);
  });
});
