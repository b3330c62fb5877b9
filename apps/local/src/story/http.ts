/** A JSON call that says what went wrong, with the start of the answer. */
export async function call<T>(method: string, url: string, options: { readonly key?: string; readonly body?: unknown } = {}): Promise<T> {
  const reply = await fetch(url, {
    method,
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${reply.status}: ${text.slice(0, 300)}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Longer than any lease: what a killed process held is taken up by another once its lease has ended, after 30 seconds. */
export const patienceMs = 60_000;

/** Asks until the answer is there. @throws with what was last seen, so that a failed step explains itself. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, timeoutMs = patienceMs): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
