import { createVerify, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Asked, type Said, scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { faultOfServiceAccount } from './service-account.js';
import { googleSubscriptions } from './subscriptions.js';

const client = { clientId: '903312447-abc.apps.googleusercontent.com', clientSecret: 's' };
const callbackUrl = 'https://us/in/google/k';
const now = Date.parse('2026-11-30T00:00:00Z');
const projectPath = 'https://api.test/v4/projects/903312447/subscribers';
const secret = 'Bearer our-secret';

let keys: { publicKey: string; privateKey: string };
let account: string;
beforeAll(() => {
  keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  account = JSON.stringify({
    client_email: 'hooks@us.iam',
    private_key: keys.privateKey,
    private_key_id: 'kid-1',
    token_uri: 'https://evil.test/token',
  });
});

const token: Said = { body: { access_token: 'account-token', expires_in: 3599 } };
const done: Said = { body: { name: 'operations/1', done: true, response: {} } };
let types: string[] = [];

async function ensured(more: object, ...replies: (Said | Error)[]) {
  const { http, asked } = scriptedHttp(...replies);
  const input = { origins, client, callbackUrl, verificationToken: 'v', serviceAccount: account, webhookSecret: secret, now, ...more };
  const count = await googleSubscriptions.ensure(http, input);
  return { count, asked };
}
const jsonOf = ({ body }: Asked) => JSON.parse(body ?? '') as { subscriberConfigs: { dataTypes: string[] }[] };
const held = (more: object = {}): Said => ({
  body: {
    subscribers: [
      { name: 'projects/903312447/subscribers/other', endpointUri: 'https://them/hook', state: 'ACTIVE' },
      {
        name: 'projects/903312447/subscribers/tributary-1',
        endpointUri: callbackUrl,
        state: 'ACTIVE',
        subscriberConfigs: [{ dataTypes: types, subscriptionCreatePolicy: 'AUTOMATIC' }],
        ...more,
      },
    ],
  },
});

describe("Google's subscriber", () => {
  it('is made by the service account, whose token is had where tokens are, for everything that Google tells of', async () => {
    const { count, asked } = await ensured({}, token, { body: {} }, done);
    expect(count).toEqual({ created: 1, renewed: 0, present: 0 });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://token.test/token',
      `GET ${projectPath}?pageSize=100`,
      expect.stringMatching(/^POST https:\/\/api\.test\/v4\/projects\/903312447\/subscribers\?subscriberId=tributary-[0-9a-f]{16}$/),
    ]);
    const [forToken, , forMaking] = asked as [Asked, Asked, Asked];
    const form = new URLSearchParams(forToken.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature] = (form.get('assertion') ?? '').split('.') as [string, string, string];
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    expect([read(header), read(claims)]).toEqual([
      { alg: 'RS256', typ: 'JWT', kid: 'kid-1' },
      {
        iss: 'hooks@us.iam',
        scope: 'https://www.googleapis.com/auth/cloud-platform',
        aud: 'https://token.test/token',
        iat: now / 1000,
        exp: now / 1000 + 300,
      },
    ]);
    expect(createVerify('sha256').update(`${header}.${claims}`).verify(keys.publicKey, signature, 'base64url')).toBe(true);
    expect(forMaking.headers).toMatchObject({ authorization: 'Bearer account-token' });
    const body = jsonOf(forMaking);
    expect(body).toMatchObject({
      endpointUri: callbackUrl,
      subscriberConfigs: [{ subscriptionCreatePolicy: 'AUTOMATIC' }],
      endpointAuthorization: { secret },
    });
    types = body.subscriberConfigs[0]?.dataTypes ?? [];
    expect(types).toEqual(expect.arrayContaining(['steps', 'sleep', 'exercise', 'weight', 'heart-rate']));
    // Read, but never told of.
    expect(types).not.toEqual(expect.arrayContaining(['active-energy-burned']));
  });

  it('is left alone when it is right and nobody asked, and those of others are too', async () => {
    const { count, asked } = await ensured({ onlyMend: true }, token, held());
    expect([count, asked.length]).toEqual([{ created: 0, renewed: 0, present: 1 }, 2]);
  });

  it.each([
    ['is switched off', { state: 'INACTIVE' }, { lapsed: 1 }],
    ['was never proved', { state: 'UNVERIFIED' }, { lapsed: 1 }],
    ['leads to an old host', { endpointUri: 'https://old/in/google/k' }, {}],
    ['lacks a type', { subscriberConfigs: [{ dataTypes: ['steps'], subscriptionCreatePolicy: 'AUTOMATIC' }] }, {}],
    ['wants each person by themselves', { subscriberConfigs: [{ dataTypes: types, subscriptionCreatePolicy: 'MANUAL' }] }, {}],
  ])('that %s is set right, and proved anew', async (_what, more, also) => {
    const { count, asked } = await ensured({ onlyMend: true }, token, held(more), done);
    expect(count).toEqual({ created: 0, renewed: 1, present: 0, ...also });
    const last = asked.at(-1) as Asked;
    expect(`${last.method} ${last.url}`).toBe(
      `PATCH ${projectPath}/tributary-1?updateMask=endpoint_uri%2Csubscriber_configs%2Cendpoint_authorization`,
    );
    expect(jsonOf(last)).toMatchObject({ endpointUri: callbackUrl, endpointAuthorization: { secret } });
  });

  it('gets the newest secret whenever somebody asks', async () => {
    const { count, asked } = await ensured({ webhookSecret: 'Basic bmV3' }, token, held(), done);
    expect(count).toMatchObject({ renewed: 1 });
    expect(jsonOf(asked.at(-1) as Asked)).toMatchObject({ endpointAuthorization: { secret: 'Basic bmV3' } });
  });

  it('is looked for on every page', async () => {
    const { count, asked } = await ensured({ onlyMend: true }, token, { body: { nextPageToken: 'p2' } }, held());
    expect(count).toMatchObject({ present: 1 });
    expect(asked[2]?.url).toBe(`${projectPath}?pageSize=100&pageToken=p2`);
  });

  it('that somebody makes at the same moment is the same one', async () => {
    expect((await ensured({}, token, { body: {} }, { status: 409 })).count).toMatchObject({ created: 1 });
  });

  it.each([
    [{ serviceAccount: undefined }, [], 'subscription_no_service_account'],
    [{ serviceAccount: '{"client_email":"x"}' }, [], 'subscription_no_service_account'],
    [{ serviceAccount: '{"client_email":"x","private_key":"none"}' }, [], 'subscription_service_account_malformed'],
    [{ webhookSecret: undefined }, [], 'subscription_no_webhook_secret'],
    [{ webhookSecret: 'bare' }, [], 'subscription_no_webhook_secret'],
    [{ client: { ...client, clientId: 'names-no-project' } }, [], 'subscription_project_unknown'],
    [{}, [{ status: 400, body: { error: 'invalid_grant' } }], 'subscription_token_http_400'],
    [{}, [{ body: {} }], 'subscription_token_malformed'],
    [{}, [token, { status: 403 }], 'subscription_list_http_403'],
    [{}, [token, { body: '[]' }], 'subscription_list_malformed'],
    [{}, [token, { body: { subscribers: [{ name: 'projects/1/subscribers/x/../../y' }] } }], 'subscription_list_malformed'],
    [{}, [token, { body: {} }, { status: 400 }], 'subscription_create_http_400'],
    [{}, [token, { body: {} }, { body: { name: 'operations/2' } }], 'subscription_create_pending'],
    // The address was not proved.
    [
      {},
      [token, { body: {} }, { body: { done: true, error: { code: 9, message: 'FAILED_PRECONDITION' } } }],
      'subscription_create_status_9',
    ],
  ])('fails in so many words: %j %j', async (more, replies, code) => {
    await expect(ensured(more, ...(replies as Said[]))).rejects.toMatchObject({ code });
  });
});

describe('the key of a service account', () => {
  it('is refused when it is given, unless it can sign', () => {
    expect(faultOfServiceAccount(account)).toBeUndefined();
    const bad = [
      '',
      'hooks@us.iam',
      '{}',
      '[]',
      'null',
      JSON.stringify({ client_email: 'a' }),
      JSON.stringify({ client_email: 'a', private_key: 'x' }),
    ];
    for (const text of bad) expect(faultOfServiceAccount(text)).toContain('client_email');
  });
});
