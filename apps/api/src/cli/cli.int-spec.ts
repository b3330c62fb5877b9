import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect as connectTcp, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { announceEvent, drawRevisions, inTransaction } from '@tributary/storage';
import { Webhook } from 'standardwebhooks';
import { TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

/** The built program: `npm test` builds first. */
const cli = path.join(import.meta.dirname, '../../dist/cli.js');
const newKey = `new:${Buffer.alloc(32, 9).toString('base64')}`;

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A way to the API that can be cut without the API noticing. */
async function openWay(to: URL) {
  let blocked = false;
  const open = new Set<Socket>();
  const way = createTcpServer((near) => {
    open.add(near);
    near.on('error', () => near.destroy());
    if (blocked) return near.destroy();
    const far = connectTcp(Number(to.port), to.hostname);
    far.on('error', () => near.destroy());
    near.on('close', () => {
      open.delete(near);
      far.destroy();
    });
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((up) => {
    way.listen(0, '127.0.0.1', up);
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    block() {
      blocked = true;
      cut();
    },
    unblock() {
      blocked = false;
    },
    async close() {
      cut();
      await new Promise((down) => way.close(down));
    },
  };
}

describe('the command line', () => {
  let api: RunningApi;
  let receiver: Server;
  let receiverUrl: string;
  const posted: Posted[] = [];
  let answers: number[] = [];

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        posted.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
        response.writeHead(answers.shift() ?? 204).end();
      });
    });
    await new Promise<void>((up) => {
      receiver.listen(0, '127.0.0.1', up);
    });
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await api.stop();
  });

  const envOf = (more: NodeJS.ProcessEnv) => ({
    PATH: process.env['PATH'],
    DATABASE_URL: api.db.url,
    TRIBUTARY_KEYS: TEST_KEYS,
    TRIBUTARY_API_URL: api.url,
    ...more,
  });
  /** Not `spawnSync`: the API and the receiver run in this process. */
  async function run(args: string[], more: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [cli, ...args], { env: envOf(more), stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    return { status, stdout, stderr };
  }

  it('says what it can do, and which word it does not know', () => {
    const say = (args: string[]) => spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', env: envOf({}) });
    expect(say(['--help']).stdout).toMatch(/bootstrap[^]*rotate-keys[^]*replay-dead-letters[^]*listen[^]*send-test/);
    expect(say(['listen', '--help']).stdout).toContain('--forward-to URL');
    const unknown = say(['destroy']);
    expect([unknown.status, unknown.stderr.includes('There is no command "destroy"')]).toEqual([2, true]);
    const keyless = say(['replay-dead-letters']);
    expect([keyless.status, keyless.stderr.includes('TRIBUTARY_API_KEY')]).toEqual([2, true]);
  });

  it('rotate-keys seals every secret and token anew; what nobody can open stays, and is told', async () => {
    const scope = await api.seed.environment();
    const app = await api.seed.app(scope);
    const user = await api.seed.user(scope);
    const connection = await api.seed.connection(app, user);
    const endpoint = await api.seed.endpoint(scope);
    const ring = `${newKey},${TEST_KEYS}`;
    const held = () =>
      api.rows<{ access_token: Buffer; refresh_token: Buffer; sealed: Buffer }>(
        `select c.access_token, c.refresh_token, s.sealed from connection c, endpoint_secret s where c.id = $1 and s.endpoint_id = $2`,
        [connection.id, endpoint.id],
      );
    const [before] = await held();
    const tried = await run(['rotate-keys', '--dry-run', '--json'], { TRIBUTARY_KEYS: ring });
    expect(tried.status).toBe(0);
    expect(await held()).toEqual([before]);
    const done = await run(['rotate-keys', '--json'], { TRIBUTARY_KEYS: ring });
    const counts = JSON.parse(done.stdout) as { key: string; columns: { column: string; resealed: number; unreadable: number }[] };
    expect([done.status, counts]).toEqual([0, JSON.parse(tried.stdout)]);
    expect(counts.key).toBe('new');
    expect(counts.columns.filter(({ resealed }) => resealed === 0).map(({ column }) => column)).toEqual([
      'upstream_revocation.access_token',
      'upstream_revocation.subject_id',
    ]);
    // The new key alone opens everything.
    const alone = new KeyRing(newKey);
    const [after] = await held();
    expect(alone.open(after?.access_token as Buffer, `connection:${connection.id}:access`)).toBe(connection.accessToken);
    expect(alone.open(after?.refresh_token as Buffer, `connection:${connection.id}:refresh`)).toBe(connection.refreshToken);
    expect(alone.open(after?.sealed as Buffer, `endpoint_secret:${endpoint.secretId}`)).toBe(endpoint.secret);
    const again = JSON.parse((await run(['rotate-keys', '--json'], { TRIBUTARY_KEYS: ring })).stdout) as typeof counts;
    expect(again.columns.every(({ resealed, unreadable }) => resealed === 0 && unreadable === 0)).toBe(true);

    const lost = new KeyRing(`gone:${Buffer.alloc(32, 3).toString('base64')}`).seal('x', `connection:${connection.id}:access`);
    await api.db.pool.query('update connection set access_token = $2 where id = $1', [connection.id, lost]);
    const faulty = await run(['rotate-keys'], { TRIBUTARY_KEYS: ring });
    expect([faulty.status, faulty.stderr]).toEqual([1, expect.stringContaining('1 values can be opened by no key')]);
    expect((await held())[0]?.access_token).toEqual(lost);
  });

  async function announce(scope: { tenantId: string; environment: 'live' | 'test' }, id: string, message: string): Promise<void> {
    await inTransaction(api.db.pool, async (client) => {
      const revision = await drawRevisions(client, scope, 1);
      const data = Buffer.from(JSON.stringify({ message, revision }));
      await announceEvent(client, { ...scope, id, type: 'endpoint.test', revision, userId: null, data });
    });
  }

  async function untilSaid(child: ChildProcess, words: RegExp): Promise<string> {
    let said = '';
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (words.test(said)) resolve(said);
      });
      child.once('exit', (code) => reject(new Error(`ended with ${code} after: ${said}`)));
    });
  }

  it('listen posts what happens from now on, in order, signed; tries again what was not taken; Ctrl-C ends it', async () => {
    const scope = await api.seed.environment({ environment: 'test' });
    const { key } = await api.key(scope);
    await announce(scope, 'evt_01J00000000000000000000000', 'of before');
    posted.length = 0;
    answers = [500];
    const child = spawn(process.execPath, [cli, 'listen', '--forward-to', receiverUrl, '--json'], {
      env: envOf({ TRIBUTARY_API_KEY: key }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { secret } = JSON.parse(await untilSaid(child, /"listening".*\n/)) as { secret: string };
    const both = untilSaid(child, /02"(?:.*\n)*.*03".*\n/);
    await announce(scope, 'evt_01J00000000000000000000002', 'first');
    await announce(scope, 'evt_01J00000000000000000000003', 'second');
    await both;
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    const told = posted.map(({ headers, body }) => {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
        data: { message: string };
        deliveryAttempt: number;
      };
      return [headers['webhook-id'], event.deliveryAttempt, event.data.message];
    });
    expect(told).toEqual([
      ['evt_01J00000000000000000000002', 1, 'first'],
      ['evt_01J00000000000000000000002', 2, 'first'],
      ['evt_01J00000000000000000000003', 1, 'second'],
    ]);
  });

  it('listen waits for an API that is away, and then posts what happened meanwhile; a key that is refused ends it', async () => {
    const scope = await api.seed.environment({ environment: 'test' });
    const { key, id: keyId } = await api.key(scope);
    const way = await openWay(new URL(api.url));
    posted.length = 0;
    answers = [];
    const child = spawn(process.execPath, [cli, 'listen', '--forward-to', receiverUrl, '--json'], {
      env: envOf({ TRIBUTARY_API_KEY: key, TRIBUTARY_API_URL: way.url }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let faults = '';
    child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));
    await untilSaid(child, /"listening".*\n/);
    const away = untilSaid(child, /"away".*\n/);
    way.block();
    await away;
    await announce(scope, 'evt_01J00000000000000000000004', 'of the dark');
    const back = untilSaid(child, /"back".*\n(?:.*\n)*.*04".*\n/);
    way.unblock();
    const said = await back;
    expect(said.match(/"away"/g) ?? []).toEqual([]);
    expect(posted.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_01J00000000000000000000004']);
    const ended = once(child, 'close');
    await api.db.pool.query('update api_key set revoked_at = now() where id = $1', [keyId]);
    expect(await ended).toEqual([2, null]);
    expect(faults).toContain('The API answered 401');
    await way.close();
  });

  it('send-test reaches an address without any API, and an endpoint through it', async () => {
    posted.length = 0;
    const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;
    answers = [204];
    const direct = await run(['send-test', '--to', receiverUrl, '--secret', secret], { TRIBUTARY_API_URL: 'http://127.0.0.1:1' });
    expect([direct.status, direct.stderr]).toEqual([0, '']);
    const [{ headers, body } = { headers: {}, body: '' }] = posted;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'endpoint.test' });
    answers = [401];
    const refused = await run(['send-test', '--to', receiverUrl, '--secret', secret]);
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining('401')]);

    const scope = await api.seed.environment({ environment: 'test' });
    const { key } = await api.key(scope);
    const endpoint = await api.seed.endpoint(scope);
    const sent = await run(['send-test', '--endpoint', endpoint.id], { TRIBUTARY_API_KEY: key });
    expect([sent.status, sent.stderr]).toEqual([0, '']);
    const owed = await api.rows<{ endpoint_id: string; type: string }>(
      'select d.endpoint_id, e.type from event_delivery d join event e on e.id = d.event_id where d.tenant_id = $1',
      [scope.tenantId],
    );
    expect(owed).toEqual([{ endpoint_id: endpoint.id, type: 'endpoint.test' }]);
    const foreign = await api.seed.endpoint(await api.seed.environment({ environment: 'test' }));
    const other = await run(['send-test', '--endpoint', foreign.id], { TRIBUTARY_API_KEY: key });
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('There is no endpoint of that id.')]);
  });
});
