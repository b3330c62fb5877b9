import { stopTestServices } from './test-services.mjs';

export default stopTestServices;
