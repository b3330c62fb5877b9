export { type IoRedisClient, type NodeRedisClient, type RedisClient } from './redis-client.js';
export { type RedisStoreOptions, redisStore } from './claim-store.redis.js';
export { type RedisRecords, type RedisRecordsOptions, redisRecords } from './record-book.redis.js';
