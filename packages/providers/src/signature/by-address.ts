import type { Verification } from '../provider.js';

/** For requests that hold nothing to prove: the address, which only the provider and we know, is all there is. Its key stands as the secret. */
export const provedByAddress: Verification = { ok: true, grade: 'path-secret', secretId: 'app_key', signedAt: undefined };
