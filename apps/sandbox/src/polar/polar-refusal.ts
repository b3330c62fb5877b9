import { Refusal, refusalAnswerer } from '../refusal.js';

/** An answer other than success, as AccessLink's framework writes it. */
export const refused = (status: number, error: string, headers?: Readonly<Record<string, string>>): Refusal =>
  new Refusal(status, { status, error }, headers);

/** Of the token endpoint. */
export const oauthRefused = (status: number, error: string, description: string): Refusal =>
  new Refusal(status, { error, error_description: description });

export const answerRefusal = refusalAnswerer((status, error) => ({ status, error }));
