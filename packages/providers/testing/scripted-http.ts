import type { Whereabouts } from '@tributary/domain';
import type { FetchContext, ProviderHttp, ProviderReply } from '../src/provider.js';

export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
}

export type Asked = Parameters<ProviderHttp['send']>[0];

/** A provider that says one thing after the other, or what `replies` makes of the request, and keeps what it was asked. */
export function scriptedHttp(...replies: readonly (Said | Error)[] | [(asked: Asked) => Said]) {
  const asked: Asked[] = [];
  const left = [...replies];
  const http: ProviderHttp = {
    async send(request): Promise<ProviderReply> {
      asked.push(request);
      const next = typeof left[0] === 'function' ? left[0](request) : (left.shift() as Said | Error | undefined);
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      const body = typeof next.body === 'string' ? next.body : JSON.stringify(next.body ?? {});
      return { status: next.status ?? 200, headers: next.headers ?? {}, body: Buffer.from(body) };
    },
  };
  return { asked, http };
}

export const testOrigins = { api: 'https://api.test', authorize: 'https://consent.test', token: 'https://token.test' };

/** Nothing is known of where the person is. */
export const nowhere: Whereabouts = { profile: [], fallbackZone: undefined, tzdb: 'test' };

export function testContext(http: ProviderHttp, now: number, whereabouts = nowhere): FetchContext {
  return { http, origins: testOrigins, accessToken: 'secret-token', now, whereabouts };
}
