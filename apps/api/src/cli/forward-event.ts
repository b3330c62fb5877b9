import { createHmac } from 'node:crypto';
import { eventBody } from '@tributary/handoffs';
import { request } from 'undici';

export interface EventToForward {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Forwarded {
  /** Undefined: nobody answered, and `fault` says why. */
  readonly status: number | undefined;
  readonly fault: string | undefined;
  readonly tookMs: number;
}

export interface Target {
  readonly url: string;
  /** The bytes behind `whsec_`. */
  readonly key: Buffer;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Counts from 1. */
  readonly attempt: number;
}

/** Posts an event as outbound does: the same headers and body, signed now, redirects not followed. */
export async function forwardEvent(event: EventToForward, { url, key, now, attempt }: Target): Promise<Forwarded> {
  const { type, occurredAt, data } = event;
  const body = eventBody(type, new Date(occurredAt), attempt, Buffer.from(JSON.stringify(data)));
  const timestamp = Math.floor(now / 1_000);
  const signature = createHmac('sha256', key).update(`${event.id}.${timestamp}.`).update(body).digest('base64');
  const begun = performance.now();
  try {
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tributary-Webhooks/1',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
      signal: AbortSignal.timeout(10_000),
    });
    await answer.dump();
    return { status: statusCode, fault: undefined, tookMs: performance.now() - begun };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { status: undefined, fault: code ?? message, tookMs: performance.now() - begun };
  }
}
