import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RecordData, type VerifiedEvent, createReceiver, isEvent, memoryRecords, memoryStore, recordChangeOf } from '@tributary/sdk';
import { nodeHandler } from '@tributary/sdk/node';

interface Seen {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly revision: number;
  readonly deliveryAttempt: number;
}

/**
 * A customer's receiver, made of nothing but the SDK: `POST /webhooks` is the endpoint. `PUT /control` and `GET /state` are for the
 * story, which hands it its secrets, makes it fail, and looks at what it holds.
 */
export function receiverServer(): (request: IncomingMessage, response: ServerResponse) => void {
  let secrets: readonly string[] = [];
  let down = false;
  const counts = { handled: 0, duplicates: 0, refused: 0, turnedAway: 0 };
  const seen: Seen[] = [];
  const removed = new Map<string, null>();
  const records = memoryRecords();

  const receiver = createReceiver({
    secrets: () => secrets,
    store: memoryStore(),
    handlers: {
      async otherwise(event) {
        await records.applyIfNewer(event);
        counts.handled += 1;
        const key = nameOf(event);
        if (isEvent(event, 'record.deleted')) removed.set(key, null);
        seen.push({
          id: event.id,
          type: event.type,
          key,
          revision: Number((event.data as { revision: number }).revision),
          deliveryAttempt: event.deliveryAttempt,
        });
      },
    },
    onProblem: (problem) => {
      if (problem.is === 'refused') counts.refused += 1;
    },
  });
  const webhooks = nodeHandler({
    async receive(request) {
      const outcome = await receiver.receive(request);
      if (outcome.is === 'duplicate') counts.duplicates += 1;
      return outcome;
    },
  });

  const state = () => ({
    ...counts,
    events: seen,
    values: Object.fromEntries([
      ...removed,
      ...records.list().map(({ data }) => [`${data.metric}/${data.localDate}`, shownNumber(data)] as const),
    ]),
  });

  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/webhooks') {
      if (!down) return webhooks(request, response);
      counts.turnedAway += 1;
      request.resume();
      return void answer(response, 503, { code: 'down' });
    }
    if (path === '/health/ready') return void answer(response, 200, { status: 'ok' });
    if (path === '/state' && request.method === 'GET') return void answer(response, 200, state());
    if (path === '/control' && request.method === 'PUT') {
      return void readJson(request).then(
        (wanted) => {
          secrets = wanted.secrets ?? secrets;
          if (wanted.mode !== undefined) down = wanted.mode === 'down';
          answer(response, 200, { down, secrets: secrets.length });
        },
        () => answer(response, 400, { code: 'malformed_request' }),
      );
    }
    answer(response, 404, { code: 'not_found' });
  };
}

/** `steps/2026-11-28`: how the story names a value. */
function nameOf(event: VerifiedEvent): string {
  const change = recordChangeOf(event);
  if (change === undefined || change.is === 'erase') return event.type;
  return `${change.key.metric}/${change.is === 'replace' ? change.data.localDate : change.localDate}`;
}

async function readJson(request: IncomingMessage): Promise<{ secrets?: string[]; mode?: 'up' | 'down' }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { secrets?: string[]; mode?: 'up' | 'down' };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The one number of a record that the demonstration shows. */
function shownNumber(data: RecordData): number | null {
  switch (data.metric) {
    case 'sleep_session':
      return data.record.asleepS;
    case 'workout':
      return data.record.elapsedS;
    default:
      return data.kind === 'series' ? data.sampleCount : data.record.value;
  }
}
