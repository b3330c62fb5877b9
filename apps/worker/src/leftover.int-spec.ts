import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { leftoverTicket } from '@tributary/handoffs';
import { type Provider, findProvider } from '@tributary/providers';
import { createMetrics } from '@tributary/service-shell';
import type { Ticket } from '@tributary/tickets';
import type { Job, Queue } from 'bullmq';
import { type Person, Workbench } from '../testing/workbench.js';
import { LeftoverProcessor } from './leftover.processor.js';
import { workerMetrics } from './worker-metrics.js';

// doubles: the provider's own end of subscriptions.  oracles: what it was asked, counters.
let bench: Workbench;
let person: Person;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  person = await bench.person();
});

type Asked = Parameters<NonNullable<Provider['endLeftover']>>[1];

/** Works one ticket with Oura as it is, or as if each person had a subscription there. */
async function work(endLeftover?: (input: Asked) => Promise<{ ended: number }>, key = ticket()) {
  const registry = createMetrics('worker');
  const oura = findProvider('oura') as Provider;
  const provider: Provider = endLeftover ? { ...oura, endLeftover: (_http, input) => endLeftover(input) } : oura;
  const context = bench.contextWith({ providers: new Map([['oura', provider]]), metrics: workerMetrics(registry) });
  const queue = { on: () => queue } as unknown as Queue<Ticket>;
  await new LeftoverProcessor(context, queue).process({ data: { key }, timestamp: Date.now() } as Job<Ticket>);
  const figures = await registry.metrics();
  const figure = (name: string) => Number(new RegExp(`^${name}\\{[^}]*provider="oura"[^}]*\\} (\\d+)`, 'm').exec(figures)?.[1] ?? 0);
  return { looked: figure('tributary_leftover_subscriptions_total'), ended: figure('tributary_leftover_subscriptions_ended_total') };
}
const ticket = () => leftoverTicket({ ...person.scope, providerAppId: person.app.id });

describe('a subscription that was left over', () => {
  it('is counted where the provider has one for the whole app: there is nothing to end for a person', async () => {
    const before = { ...bench.oura.calls };
    expect(await work()).toEqual({ looked: 1, ended: 0 });
    expect(bench.oura.calls).toEqual(before);
  });

  it('is ended where each person has one, by the app’s own credentials, and only for people whom we do not hold', async () => {
    await bench.db.pool.query(`update connection set status = 'disconnected' where id = $1`, [(await bench.person()).connection.id]);
    const elsewhere = await bench.person();
    let asked: unknown;
    const figures = await work(async ({ origins, client, isHeld }) => {
      const held = await Promise.all([person.connection.subjectId, elsewhere.connection.subjectId, 'stranger'].map(isHeld));
      asked = { api: origins.api, client, held };
      return { ended: held.filter((one) => !one).length };
    });
    expect(asked).toEqual({
      api: `${bench.oura.url}/oura`,
      client: { clientId: person.app.clientId, clientSecret: person.app.clientSecret },
      held: [true, false, false],
    });
    expect(figures).toEqual({ looked: 1, ended: 2 });
  });

  it('that cannot be ended now is no fault of the worker: the next such delivery owes it again', async () => {
    const failing = async () => {
      throw new Error('the provider is away');
    };
    expect(await work(failing)).toEqual({ looked: 1, ended: 0 });
    expect(await work(async () => ({ ended: 1 }))).toEqual({ looked: 1, ended: 1 });
  });

  it('of an app that is gone, disabled or not an app at all is passed over', async () => {
    const never = async () => {
      throw new Error('asked');
    };
    expect(await work(never, leftoverTicket({ ...person.scope, providerAppId: 'app_gone' }))).toEqual({ looked: 0, ended: 0 });
    expect(await work(never, 'nonsense')).toEqual({ looked: 0, ended: 0 });
    await bench.db.pool.query(`update provider_app set state = 'disabled' where id = $1`, [person.app.id]);
    expect(await work(never)).toEqual({ looked: 0, ended: 0 });
  });
});
