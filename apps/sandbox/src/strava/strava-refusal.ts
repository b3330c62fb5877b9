import { Refusal, refusalAnswerer } from '../refusal.js';

/** @param fault resource, field and code. */
export function refused(
  status: number,
  message: string,
  [resource, field, code]: readonly [string, string, string],
  headers?: Readonly<Record<string, string>>,
): Refusal {
  return new Refusal(status, { message, errors: [{ resource, field, code }] }, headers);
}

export const notFound = (resource: string): Refusal => refused(404, 'Record Not Found', [resource, 'id', 'not found']);

export const answerRefusal = refusalAnswerer((_status, message) => ({ message, errors: [] }));
