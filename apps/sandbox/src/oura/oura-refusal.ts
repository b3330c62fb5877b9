import { Refusal, refusalAnswerer } from '../refusal.js';

/** `{"detail": …}`, the form of all but the OAuth answers. */
export const refused = (status: number, detail: unknown, headers?: Readonly<Record<string, string>>): Refusal =>
  new Refusal(status, { detail }, headers);

export const oauthRefused = (status: number, error: string, description: string): Refusal =>
  new Refusal(status, { error, error_description: description });

/** A body that is not of the documented shape. @param loc where, as Oura's framework writes it. */
export const unprocessable = (faults: readonly { loc: readonly (string | number)[]; msg: string }[]): Refusal =>
  new Refusal(422, { detail: faults.map((fault) => ({ ...fault, type: 'value_error' })) });

export const answerRefusal = refusalAnswerer((_status, detail) => ({ detail }));
