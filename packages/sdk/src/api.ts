import { type components, type paths } from './generated/openapi.js';

/**
 * Types of Tributary's HTTP API, generated from `docs/openapi.json`. With any client that takes such types, e.g. openapi-fetch:
 * `createClient<ApiPaths>({ baseUrl, headers: { authorization: 'Bearer trb_live_…' } })`.
 */
export type ApiPaths = paths;

/** `ApiSchemas['DailyValue']`: one shape of the API by its name in the document. */
export type ApiSchemas = components['schemas'];
