import type { AppForVerification } from '../provider.js';
import type { Answer, RawRequest } from '../raw-request.js';
import { sameText } from '../signature/constant-time.js';

/** Oura's challenges are a few dozen characters; nobody gets more than this echoed under our name. */
const LONGEST_CHALLENGE = 512;

/**
 * Oura proves our callback before it subscribes: GET with `verification_token` and `challenge`, to be answered within 10 s with
 * the challenge as JSON. JSON encoding and content type keep the echo from becoming a page.
 */
export function handshakeOura(request: RawRequest, app: AppForVerification): Answer {
  const tokens = request.query.getAll('verification_token');
  const token = tokens.length === 1 ? (tokens[0] as string) : '';
  let proved = false;
  for (const secret of app.secrets) {
    if (secret.purpose === 'verification_token' && secret.value !== '' && sameText(token, secret.value)) proved = true;
  }
  if (!proved) return { status: 401 };
  const challenges = request.query.getAll('challenge');
  const challenge = challenges[0];
  if (challenges.length !== 1 || !challenge || challenge.length > LONGEST_CHALLENGE) return { status: 400 };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
    body: JSON.stringify({ challenge }),
  };
}
