export { EmbeddedServiceError } from './embedded-service-error.js';
export { diskProblem } from './disk-problem.js';
export { freePort } from './free-port.js';
export { type EmbeddedServer } from './server-process.js';
export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './start-postgres.js';
export { type RedisOptions, startRedis } from './start-redis.js';
