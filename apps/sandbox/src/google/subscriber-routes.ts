import { createVerify, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { request } from 'undici';
import { z } from 'zod';
import { refused } from './google-refusal.js';
import type { GoogleApp, GoogleWorld, Subscriber } from './google-world.js';

/** How long an address may take to answer a probe. */
const PROBE_MS = 5_000;
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

const secret = z.string().regex(/^(Bearer|Basic) \S+$/, 'expected a scheme and a secret');
const wishShape = z.object({
  endpointUri: z.url({ protocol: /^https?$/ }),
  subscriberConfigs: z.array(z.object({ dataTypes: z.array(z.string()), subscriptionCreatePolicy: z.enum(['AUTOMATIC', 'MANUAL']) })),
  endpointAuthorization: z.object({ secret }),
});
const claimsShape = z.object({ iss: z.string(), scope: z.string(), aud: z.string(), iat: z.number(), exp: z.number() });

type OfProject = { Params: { project: string } };
type OfSubscriber = { Params: { project: string; id: string } };

/** What a service account does: tokens for a signed claim, and `/v4/projects/:project/subscribers…`. One subscriber for each app here. */
export function subscriberRoutes(scope: FastifyInstance, world: GoogleWorld): void {
  const tokens = new Map<string, string>();

  // Before the token endpoint of people's grants, which knows nothing of accounts.
  scope.addHook('preHandler', async (asked, reply) => {
    if (!(asked.body instanceof URLSearchParams) || asked.body.get('grant_type') !== GRANT_TYPE) return;
    const app = accountOf(world, asked.body.get('assertion') ?? '');
    if (app === undefined) {
      await reply.code(400).send({ error: 'invalid_grant', error_description: 'Invalid JWT.' });
      return;
    }
    const token = randomBytes(24).toString('base64url');
    tokens.set(token, app.clientId);
    await reply.send({ access_token: token, expires_in: 3_599, token_type: 'Bearer' });
  });

  const appOf = (asked: FastifyRequest<OfProject>): GoogleApp => {
    const token = /^Bearer (.+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? '';
    const app = world.apps.get(tokens.get(token) ?? '');
    if (app === undefined) throw refused(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    if (!app.clientId.startsWith(`${asked.params.project}-`)) throw refused(403, 'PERMISSION_DENIED', 'The project is another one.');
    return app;
  };
  const prove = async (app: GoogleApp, subscriber: Subscriber): Promise<object> => {
    const answers = await probe(subscriber);
    if (!isProved(answers)) {
      const message = `The probes were answered ${answers.join(' and ')}.`;
      return { name: 'operations/probe', done: true, error: { code: 9, message } };
    }
    app.subscriber = subscriber;
    return { name: 'operations/probe', done: true, response: {} };
  };

  scope.get<OfProject>('/v4/projects/:project/subscribers', async (asked) => {
    const { subscriber } = appOf(asked);
    return subscriber === null ? {} : { subscribers: [shown(subscriber, asked.params.project)] };
  });

  scope.post<OfProject>('/v4/projects/:project/subscribers', async (asked) => {
    const app = appOf(asked);
    const wish = wishOf(asked.body);
    if (app.subscriber !== null) throw refused(409, 'ALREADY_EXISTS', 'There is a subscriber already.');
    const id = new URL(asked.url, 'http://sandbox').searchParams.get('subscriberId') ?? 'made-up';
    if (!/^[a-z][a-z0-9-]{2,34}[a-z0-9]$/.test(id)) throw refused(400, 'INVALID_ARGUMENT', 'subscriberId');
    return prove(app, { id, ...wish, state: 'ACTIVE' });
  });

  scope.patch<OfSubscriber>('/v4/projects/:project/subscribers/:id', async (asked) => {
    const app = appOf(asked);
    const held = app.subscriber;
    if (held === null || (held.id ?? 'made-up') !== asked.params.id) throw refused(404, 'NOT_FOUND', 'There is no such subscriber.');
    return prove(app, { id: asked.params.id, ...wishOf(asked.body), state: 'ACTIVE' });
  });

  scope.delete<OfSubscriber>('/v4/projects/:project/subscribers/:id', async (asked) => {
    appOf(asked).subscriber = null;
    return { name: 'operations/delete', done: true, response: {} };
  });
}

/** The app whose service account signed this, for this place and now. */
function accountOf(world: GoogleWorld, assertion: string): GoogleApp | undefined {
  const [header, claims, signature] = assertion.split('.');
  if (header === undefined || claims === undefined || signature === undefined) return undefined;
  let said: z.infer<typeof claimsShape>;
  try {
    said = claimsShape.parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
  } catch {
    return undefined;
  }
  const now = world.now() / 1000;
  const isGood =
    said.scope === SCOPE && said.aud.endsWith('/token') && said.iat <= now + 60 && said.exp > now && said.exp - said.iat <= 3_600;
  const app = [...world.apps.values()].find(({ account }) => account?.clientEmail === said.iss);
  if (!isGood || app?.account == null) return undefined;
  const proves = createVerify('sha256').update(`${header}.${claims}`).verify(app.account.publicKey, signature, 'base64url');
  return proves ? app : undefined;
}

function wishOf(body: unknown): Pick<Subscriber, 'endpointUri' | 'secret' | 'configs'> {
  const wish = wishShape.safeParse(body);
  if (!wish.success) throw refused(400, 'INVALID_ARGUMENT', wish.error.message);
  const { endpointUri, subscriberConfigs: configs, endpointAuthorization } = wish.data;
  return { endpointUri, secret: endpointAuthorization.secret, configs };
}

/** Never with its secret. */
function shown({ id = 'made-up', endpointUri, configs = [], state = 'ACTIVE' }: Subscriber, project: string): object {
  return { name: `projects/${project}/subscribers/${id}`, endpointUri, state, subscriberConfigs: configs };
}

export function isProved([withSecret, without]: readonly number[]): boolean {
  return (withSecret === 201 || withSecret === 200) && (without === 401 || without === 403);
}

/** With the secret, then without it; neither is signed. */
export async function probe({ endpointUri, secret: authorization }: Subscriber): Promise<number[]> {
  const statuses: number[] = [];
  for (const headers of [{ authorization }, {}]) {
    const { statusCode, body } = await request(endpointUri, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ type: 'verification' }),
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await body.dump();
    statuses.push(statusCode);
  }
  return statuses;
}
