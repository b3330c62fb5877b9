import { startTestServices } from './test-services.mjs';

/** Jest's globalSetup of the sizes that need real services; Jest calls it once for a run, and not when only unit tests run. */
export default startTestServices;
