import { Refusal, refusalAnswerer } from '../refusal.js';

export const refused = (status: number, message: string, headers?: Readonly<Record<string, string>>): Refusal =>
  new Refusal(status, { message }, headers);

export const answerRefusal = refusalAnswerer((_status, message) => ({ message }));
