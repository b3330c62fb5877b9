import type { AppForVerification } from '../provider.js';
import type { Answer, RawRequest } from '../raw-request.js';
import { sameText } from './constant-time.js';

/** Challenges are a few dozen characters; nobody gets more than this echoed under our name. */
const LONGEST_CHALLENGE = 512;

/** The provider's names in the query of its question, and what it is told when the token is wrong. */
export interface ChallengeWords {
  readonly token: string;
  readonly challenge: string;
  readonly refusal: number;
}

/**
 * The question of several providers before they subscribe: a GET with a token that only they and we know, and a challenge that goes
 * back as JSON under its own name. Each parameter counts only when it comes once. JSON encoding and content type keep the echo from
 * becoming a page.
 */
export function echoChallenge({ query }: RawRequest, app: AppForVerification, words: ChallengeWords): Answer {
  const tokens = query.getAll(words.token);
  const token = tokens.length === 1 ? (tokens[0] as string) : '';
  let proved = false;
  for (const secret of app.secrets) {
    if (secret.purpose === 'verification_token' && secret.value !== '' && sameText(token, secret.value)) proved = true;
  }
  if (!proved) return { status: words.refusal };
  const challenges = query.getAll(words.challenge);
  const challenge = challenges[0];
  if (challenges.length !== 1 || !challenge || challenge.length > LONGEST_CHALLENGE) return { status: 400 };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
    body: JSON.stringify({ [words.challenge]: challenge }),
  };
}
