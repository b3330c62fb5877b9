import type { AppForVerification } from '../provider.js';
import type { Answer, RawRequest } from '../raw-request.js';
import { echoChallenge } from '../signature/echo-challenge.js';

/** Oura proves our callback before it subscribes: GET with `verification_token` and `challenge`, to be answered within 10 s. */
export function handshakeOura(request: RawRequest, app: AppForVerification): Answer {
  return echoChallenge(request, app, { token: 'verification_token', challenge: 'challenge', refusal: 401 });
}
