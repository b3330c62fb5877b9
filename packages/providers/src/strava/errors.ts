import type { ProviderReply } from '../provider.js';
import { replyObject } from '../reply.js';

interface StravaError {
  readonly resource: unknown;
  readonly field: unknown;
  readonly code: unknown;
}

/** Strava has a body of its own for everything that goes wrong, OAuth included: `errors` of `{resource, field, code}`. */
export function errorsOf(body: Record<string, unknown> | undefined): readonly StravaError[] {
  const errors = body?.['errors'];
  return Array.isArray(errors) ? errors.filter((error): error is StravaError => typeof error === 'object' && error !== null) : [];
}

/** The scope that a token lacks: it is said with 401, as of a token that is not honoured. Undefined when that is not what was said. */
export function missingScope(reply: ProviderReply): string | undefined {
  const error = errorsOf(replyObject(reply)).find(({ resource, code }) => resource === 'AccessToken' && code === 'missing');
  const field = error?.field;
  return typeof field === 'string' ? field.replace(/_permission$/, '') : undefined;
}

/** Whether the refusal is about the activity alone, which was hidden from us; an app that is switched off is refused alike. */
export function isAboutActivity(reply: ProviderReply): boolean {
  const errors = errorsOf(replyObject(reply));
  return errors.length > 0 && errors.every(({ resource }) => resource === 'Activity');
}
