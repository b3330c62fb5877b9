import type { RemoteKeys } from '../src/provider.js';
import type { RawRequest } from '../src/raw-request.js';

/** For providers that have no remote key set: asking for one is a fault. */
export const noKeys: RemoteKeys = {
  current: (url) => Promise.reject(new Error(`asked for ${url}`)),
  renewed: (url) => Promise.reject(new Error(`asked for ${url}`)),
};

/** A POST of nothing, but for what is given. */
export function rawRequest(parts: Partial<Omit<RawRequest, 'headers'>> & { headers?: Readonly<Record<string, string>> } = {}): RawRequest {
  const url = parts.url ?? '/in/x/app';
  return {
    method: parts.method ?? 'POST',
    url,
    query: parts.query ?? new URLSearchParams(url.split('?')[1] ?? ''),
    headers: new Map(Object.entries(parts.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    body: parts.body ?? Buffer.alloc(0),
  };
}
