import { setTimeout as wait } from 'node:timers/promises';
import { eventTypes } from '@tributary/domain';
import { ConfigError } from '@tributary/service-shell';
import type { Command } from './command.js';
import { forwardEvent } from './forward-event.js';
import { type ListedEvent, NewEvents } from './new-events.js';
import { ApiAway, reachApi, reachUsage } from './reach-api.js';
import { readOptions } from './read-options.js';
import { signingSecret } from './signing-secret.js';
import { targetUrl } from './target-url.js';

const usage = `Usage: tributary listen --forward-to URL [options]

Shows the events of an environment as they happen and posts each to a receiver on your machine, signed as a real one. No endpoint is
needed, and none is changed. Ends with Ctrl-C; an API that is away meanwhile is waited for, and what happened then comes late.

  --forward-to URL   your receiver, such as http://localhost:3000/webhooks
  --events LIST      only these types, apart by commas
  --secret SECRET    sign with this whsec_ secret; without it a new one is made and printed
  --json             one JSON object for each line: listening, then each event with its answer

${reachUsage}`;

/** Between looks for new events. */
const LOOK_MS = 1_000;
/** Waits before another try of an event that was not taken; afterwards it is left, and the next one comes. */
const RETRY_MS = [1_000, 5_000];

export interface Listening {
  readonly forwardTo: string;
  readonly types: ReadonlySet<string> | undefined;
  readonly secret: string | undefined;
  readonly json: boolean;
}

/** @throws ConfigError that says which argument is wrong. */
export function readListen(args: readonly string[]): Listening {
  const text = { type: 'string' } as const;
  const wish = readOptions(args, { 'forward-to': text, events: text, secret: text, json: { type: 'boolean' } }, usage);
  const types = wish.events?.split(',').map((type) => type.trim());
  const unknown = types?.find((type) => !(eventTypes as readonly string[]).includes(type));
  if (unknown !== undefined) throw new ConfigError(`--events: "${unknown}" is no type of event; there are ${eventTypes.join(', ')}`);
  return {
    forwardTo: targetUrl('forward-to', wish['forward-to']),
    types: types && new Set(types),
    secret: wish.secret,
    json: wish.json ?? false,
  };
}

async function forward(event: ListedEvent, data: Record<string, unknown>, { wish, key, stop }: Session): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, fault, tookMs } = await forwardEvent({ ...event, data }, { url: wish.forwardTo, key, now: Date.now(), attempt });
    const took = Math.round(tookMs);
    if (wish.json)
      console.log(JSON.stringify({ what: 'event', id: event.id, type: event.type, attempt, status: status ?? null, fault, tookMs: took }));
    else console.log(`${new Date().toISOString()}  ${event.type.padEnd(26)} ${event.id}  ${status ?? fault}  ${took} ms`);
    const taken = status !== undefined && status >= 200 && status < 300;
    const pause = RETRY_MS[attempt - 1];
    if (taken || pause === undefined || stop.aborted) return;
    await wait(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

interface Session {
  readonly wish: Listening;
  readonly key: Buffer;
  readonly stop: AbortSignal;
}

/** Looks for new events; an API that is away has none yet, which is said once when it begins and once when it ends. */
function lookFor(events: NewEvents, { json }: Listening): () => Promise<ListedEvent[]> {
  const say = (what: string, words: string) => console.log(json ? JSON.stringify({ what, detail: words }) : words);
  let away = false;
  return async () => {
    try {
      const found = await events.next();
      if (away) say('back', 'The API answers again.');
      away = false;
      return found;
    } catch (error) {
      if (!(error instanceof ApiAway)) throw error;
      if (!away) say('away', `${error.message} Waiting for it.`);
      away = true;
      return [];
    }
  };
}

export const listen: Command = {
  name: 'listen',
  summary: 'post events to a receiver on your machine as they happen',
  usage,
  async run(args, env) {
    const wish = readListen(args);
    const { text, key } = signingSecret(wish.secret);
    const events = new NewEvents(reachApi(env));
    await events.begin();
    const ending = new AbortController();
    const stop = ending.signal;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
    if (wish.json)
      console.log(JSON.stringify({ what: 'listening', forwardTo: wish.forwardTo, ...(wish.secret === undefined ? { secret: text } : {}) }));
    else {
      console.log(`Events go to ${wish.forwardTo} until Ctrl-C.`);
      if (wish.secret === undefined) console.log(`They are signed with this secret, which your receiver needs:\n\n  ${text}\n`);
    }
    const look = lookFor(events, wish);
    while (!stop.aborted) {
      for (const event of await look()) {
        if (stop.aborted) return;
        if (event.data !== null && (wish.types?.has(event.type) ?? true)) await forward(event, event.data, { wish, key, stop });
      }
      await wait(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  },
};
