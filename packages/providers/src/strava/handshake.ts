import type { AppForVerification } from '../provider.js';
import type { Answer, RawRequest } from '../raw-request.js';
import { echoChallenge } from '../signature/echo-challenge.js';

/**
 * Strava proves our callback while the call that creates the subscription is still open: GET with `hub.mode=subscribe`,
 * `hub.verify_token` and `hub.challenge`, to be answered within 2 s with `{"hub.challenge": …}`. A bare GET gets nothing back.
 */
export function handshakeStrava(request: RawRequest, app: AppForVerification): Answer {
  const answer = echoChallenge(request, app, { token: 'hub.verify_token', challenge: 'hub.challenge', refusal: 403 });
  const modes = request.query.getAll('hub.mode');
  return answer.status === 200 && (modes.length !== 1 || modes[0] !== 'subscribe') ? { status: 400 } : answer;
}
