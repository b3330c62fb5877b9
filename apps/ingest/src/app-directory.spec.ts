import { describe, expect, it } from '@jest/globals';
import type { IngestApp } from '@tributary/storage';
import { AppDirectory, MAX_AGE_MS } from './app-directory.js';

const row = (secrets: IngestApp['secrets'] = []): IngestApp => ({
  tenantId: 'ten_1',
  environment: 'test',
  id: 'app_1',
  provider: 'oura',
  clientId: 'c',
  sandbox: false,
  state: 'active',
  toleranceMs: 1,
  acceptsCarried: false,
  secrets,
});
const secret = (id: string, retiresAt: Date | null = null) => ({
  id,
  purpose: 'client_secret' as const,
  sealed: Buffer.from(id),
  retiresAt,
});

function directory(find: (appKey: string) => Promise<IngestApp | undefined>) {
  const asked: string[] = [];
  const sealed: string[] = [];
  const clock = { now: 1_000_000 };
  const apps = new AppDirectory({
    find: (appKey) => {
      asked.push(appKey);
      return find(appKey);
    },
    open: (value, context) => {
      if (value.toString() === 'lost') throw new Error('no key');
      return `${value.toString()}@${context}`;
    },
    clock: () => clock.now,
    sandboxUrl: 'http://sandbox.test',
    onSealedSecret: (_app, id) => sealed.push(id),
  });
  return { apps, asked, clock, sealed };
}

describe('apps by key', () => {
  it('are read once for all who ask within a second, and anew after it', async () => {
    const { apps, asked, clock } = directory(async () => row());
    await Promise.all([apps.find('k'), apps.find('k'), apps.find('k')]);
    clock.now += MAX_AGE_MS - 1;
    await apps.find('k');
    expect(asked).toEqual(['k']);
    clock.now += 1;
    await apps.find('k');
    expect(asked).toEqual(['k', 'k']);
  });

  it('that nobody has are remembered as well', async () => {
    const { apps, asked } = directory(async () => undefined);
    expect([await apps.find('k'), await apps.find('k')]).toEqual([undefined, undefined]);
    expect(asked).toEqual(['k']);
  });

  it('of the sandbox are proved by the keys of the sandbox, and no other', async () => {
    const { apps } = directory(async (appKey) => ({ ...row(), provider: 'google', sandbox: appKey === 'demo' }));
    expect((await apps.find('demo'))?.forVerification(0)).toMatchObject({ keyOrigin: 'http://sandbox.test/google' });
    expect((await apps.find('real'))?.forVerification(0)).not.toHaveProperty('keyOrigin');
  });

  it('are asked for again after a failed read', async () => {
    let away = true;
    const { apps } = directory(async () => {
      if (away) throw new Error('away');
      return row();
    });
    await expect(apps.find('k')).rejects.toThrow('away');
    away = false;
    expect((await apps.find('k'))?.id).toBe('app_1');
  });

  it('show a secret until the moment it retires, whatever is held', async () => {
    const { apps, clock } = directory(async () => row([secret('old', new Date(1_000_500)), secret('new')]));
    const app = await apps.find('k');
    const live = () => app?.forVerification(clock.now).secrets.map(({ value }) => value);
    expect(live()).toEqual(['old@provider_app_secret:old', 'new@provider_app_secret:new']);
    clock.now = 1_000_500;
    expect(live()).toEqual(['new@provider_app_secret:new']);
  });

  it('say when a secret could not be opened', async () => {
    const { apps, sealed } = directory(async () => row([secret('lost'), secret('new')]));
    const app = await apps.find('k');
    expect([app?.hasSealedSecret, app?.forVerification(0).secrets.map(({ id }) => id), sealed]).toEqual([true, ['new'], ['lost']]);
  });

  it('that are made up do not fill the memory', async () => {
    const { apps, asked } = directory(async () => undefined);
    for (let n = 0; n <= 10_000; n += 1) await apps.find(`k${n}`);
    await apps.find('k10000');
    expect(asked.length).toBe(10_001);
    await apps.find('k0');
    expect(asked.length).toBe(10_002);
  });
});
