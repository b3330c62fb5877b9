import type { ConsentEnd } from '@tributary/storage';

/** Where the person goes back to, with how it ended. @param end undefined: they began nothing, or nothing ended. */
export function returnAddress(
  returnUrl: string,
  sessionId: string,
  end: Omit<ConsentEnd, 'is'> & { is: ConsentEnd['is'] | 'unchanged' },
): string {
  const url = new URL(returnUrl);
  url.searchParams.set('connectSessionId', sessionId);
  url.searchParams.set('status', end.is);
  if (end.connectionId !== undefined) url.searchParams.set('connectionId', end.connectionId);
  if (end.code !== undefined) url.searchParams.set('code', end.code);
  return url.href;
}
