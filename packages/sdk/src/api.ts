import { type components, type paths } from './generated/openapi.js';

export { type ApiClient, type ApiClientOptions, type EachOptions, type EntryOf, type PagedPath, createApiClient } from './api-client.js';
export { ApiProblem } from './api-problem.js';
export { type ReconcileOptions, type Reconciled, reconcile } from './api-reconcile.js';
export { type RetryOptions, type RetrySurroundings } from './api-retry.js';

/** Types of Tributary's HTTP API, generated from `docs/openapi.json`: for any client that takes such types. */
export type ApiPaths = paths;

/** `ApiSchemas['DailyValue']`: one shape of the API by its name in the document. */
export type ApiSchemas = components['schemas'];
