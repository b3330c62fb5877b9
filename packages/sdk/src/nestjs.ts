export { TributaryModule, type TributaryModuleAsyncOptions, type TributaryModuleOptions } from './handlers/nestjs.js';
