export interface TestServices {
  /** A server on which databases may be created. */
  readonly databaseUrl: string;
  /** Name of the migrated database that others are cloned from. */
  readonly template: string;
  /** Undefined where this machine has no Redis: then the Redis half of a test is not run. */
  readonly redisUrl: string | undefined;
}

/** What test/setup/start-services.mjs started for this run. */
export function testServices(): TestServices {
  const { TEST_DATABASE_URL: databaseUrl, TEST_TEMPLATE: template, TEST_REDIS_URL: redisUrl } = process.env;
  if (!databaseUrl || !template) throw new Error('No test database: tests that need one are named *.int-spec.ts or *.e2e-spec.ts.');
  return { databaseUrl, template, redisUrl };
}
