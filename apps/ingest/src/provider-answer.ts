import type { Answer } from '@tributary/providers';
import type { Accepted, Counted } from './accept-webhook.js';

/** What the person who set the provider up reads in its log of failed deliveries. */
const sentences: Partial<Record<Counted, readonly [code: string, message: string]>> = {
  refused: ['unauthenticated', 'The request is not proved to come from the provider.'],
  not_found: ['not_found', 'Nothing is here.'],
  unsupported: ['method_not_allowed', 'Deliveries come by POST.'],
  too_large: ['body_too_large', 'The body is larger than this provider ever sends; nothing was read or stored.'],
  unavailable: ['storage_unavailable', 'The delivery was not stored. Send it again.'],
};

/** The adapter's answer; a refusal for which it has no words of its own gets ours, as JSON. A refusal's code is a stable word. */
export function providerAnswer({ answer, counted, code }: Accepted): Answer {
  const sentence = sentences[counted];
  if (sentence === undefined || answer.status < 400 || answer.body !== undefined) return answer;
  return {
    status: answer.status,
    headers: { ...answer.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ code: counted === 'refused' ? (code ?? sentence[0]) : sentence[0], message: sentence[1] }),
  };
}
