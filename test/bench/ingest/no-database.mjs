// Contender: everything of ingest but the store. Says yes to what it has not kept, so it is never to be used for anything else.
import { serveIngest } from './serve.mjs';

await serveIngest(() => (book) => ({ ...book, accept: async () => 'duplicate' }));
