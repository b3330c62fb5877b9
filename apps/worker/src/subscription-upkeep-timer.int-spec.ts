import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, Workbench } from '../testing/workbench.js';
import { SubscriptionUpkeep } from './subscription-upkeep-timer.js';

// doubles: Oura, which has no subscriptions here and answers 500.  oracles: the app's row.
let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

const rowOf = async (person: Person) =>
  (
    await bench.rows('select last_error, attempts, checked_at is not null as checked from subscription_upkeep where tenant_id = $1', person)
  )[0];

async function until(done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300 && !(await done()); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('the timer of the upkeep', () => {
  it('adopts apps that were proved, and does the checks that are due, in a worker that runs; not in one that drains', async () => {
    const [due, proved] = [await bench.person(), await bench.person()];
    await bench.db.pool.query(
      'insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at) values ($1, $2, $3, now())',
      [due.scope.tenantId, due.scope.environment, due.app.id],
    );
    await bench.db.pool.query('update provider_app set handshaken_at = now() where id = $1', [proved.app.id]);
    let draining = true;
    const timer = new SubscriptionUpkeep(bench.contextWith({ random: () => 0, draining: () => draining }));
    timer.onApplicationBootstrap();
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    expect([await rowOf(due), await rowOf(proved)]).toEqual([{ last_error: null, attempts: 0, checked: false }, undefined]);
    draining = false;
    await until(async () => (await rowOf(due))?.['checked'] === true);
    expect(await rowOf(due)).toEqual({ last_error: 'subscription_list_http_500', attempts: 1, checked: true });
    expect(await rowOf(proved)).toMatchObject({ checked: false });
    await timer.beforeApplicationShutdown();
  });
});
