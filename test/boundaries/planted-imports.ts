import type { Planted } from './planted-tree.js';

const from = (file: string, rule: string, ...imports: string[]): Planted => ({
  file,
  rule,
  source: `${imports.map((name) => `import * as planted from '${name}';`).join('\n')}\nvoid planted;\n`,
});
const typeOnly = (file: string, rule: string, name: string): Planted => ({
  file,
  rule,
  source: `import type * as planted from '${name}';\nexport type Planted = typeof planted;\n`,
});
const empty = (file: string): Planted => ({ file, rule: '', source: 'export const planted = 1;\n' });

/** One forbidden import in each file, and the rule that forbids it. */
export const forbiddenImports: readonly Planted[] = [
  from('packages/domain/src/planted-nest.ts', 'domain-touches-nothing', '@nestjs/common'),
  from('packages/domain/src/planted-node.ts', 'domain-touches-nothing', 'node:crypto'),
  from('packages/domain/src/planted-storage.ts', 'domain-touches-nothing', '@tributary/storage'),
  typeOnly('packages/domain/src/planted-type.ts', 'domain-touches-nothing', 'pg'),
  from('packages/handoffs/src/planted-node.ts', 'handoffs-are-words-only', 'node:fs'),
  from('packages/handoffs/src/planted-queue.ts', 'handoffs-are-words-only', 'bullmq'),
  from('packages/providers/src/aurora/planted-nest.ts', 'providers-are-plain-functions', '@nestjs/common'),
  from('packages/providers/src/aurora/planted-pg.ts', 'providers-are-plain-functions', 'pg'),
  from('packages/providers/src/aurora/planted-storage.ts', 'providers-are-plain-functions', '@tributary/storage'),
  from('packages/providers/src/aurora/planted-borealis.ts', 'one-provider-never-reads-another', '../borealis/fetch-records.js'),
  from('packages/providers/src/aurora/planted-https.ts', 'providers-open-no-sockets', 'node:https'),
  from('packages/providers/src/aurora/planted-timers.ts', 'providers-open-no-sockets', 'node:timers/promises'),
  from('packages/providers/src/aurora/notices.ts', 'secrets-are-compared-in-one-place', 'node:crypto'),
  from('packages/providers/src/aurora/verify.ts', 'pure-provider-files-do-not-fetch', './fetch-records.js'),
  from('packages/storage/src/planted-nest.ts', 'storage-speaks-postgres-only', '@nestjs/common'),
  from('packages/storage/src/planted-queue.ts', 'storage-speaks-postgres-only', 'bullmq'),
  from('packages/storage/src/planted-app.ts', 'packages-never-read-apps', '../../../apps/worker/src/main.js'),
  from('packages/tickets/src/planted-storage.ts', 'tickets-know-the-queue-only', '@tributary/storage'),
  from('packages/service-shell/src/planted-queue.ts', 'shell-knows-no-product', 'bullmq'),
  from('packages/service-shell/src/planted-pg.ts', 'shell-knows-no-product', 'pg'),
  from('packages/sdk/src/planted-handoffs.ts', 'sdk-knows-nobody', '@tributary/handoffs'),
  from('packages/sdk/src/planted-rxjs.ts', 'sdk-knows-nobody', 'rxjs'),
  from('packages/sdk/src/planted-package.ts', 'sdk-core-has-no-dependencies', 'openapi-fetch'),
  from('packages/sdk/src/planted-node.ts', 'sdk-core-runs-anywhere', 'node:crypto'),
  from('packages/embedded-services/src/planted-storage.ts', 'embedded-services-know-nobody', '@tributary/storage'),
  from('migrations/src/planted-nest.ts', 'migrations-know-schemas-only', '@nestjs/common'),
  from('apps/ingest/src/planted-name.ts', 'imports-resolve', '@tributary/worker'),
  from('apps/ingest/src/planted-path.ts', 'apps-never-read-apps', '../../worker/src/main.js'),
  from('apps/ingest/src/planted-pg.ts', 'apps-write-no-sql', 'pg'),
  typeOnly('apps/ingest/src/planted-pg-type.ts', 'apps-write-no-sql', 'pg'),
  from('apps/worker/src/planted-typeorm.ts', 'apps-write-no-sql', 'typeorm'),
  from('apps/worker/src/planted-redis.ts', 'queue-clients-stop-at-tickets', 'redis'),
  from('apps/worker/src/planted-embedded.ts', 'embedded-services-are-for-one-machine', '@tributary/embedded-services'),
  from('apps/worker/src/planted-migrations.ts', 'schema-changes-are-asked-for', '@tributary/migrations'),
  from('apps/worker/src/planted-sdk.ts', 'server-never-reads-the-sdk', '@tributary/sdk'),
  from('apps/outbound/src/planted-providers.ts', 'outbound-never-reads-providers', '@tributary/providers'),
  from('apps/sandbox/src/planted-providers.ts', 'sandbox-shares-no-code', '@tributary/providers'),
  from('apps/sandbox/src/planted-queue.ts', 'only-ticket-apps-know-the-queue', 'bullmq'),
  from('apps/api/src/planted-inside.ts', 'packages-have-one-door', '../../../packages/storage/src/connect.js'),
  from('apps/api/src/planted-tool.ts', 'no-tools-in-products', 'fast-check'),
  from('apps/api/src/planted-undeclared.ts', 'no-undeclared-packages', 'acorn'),
  from('apps/api/src/planted-build.ts', 'no-builds-read', '../dist/planted.js'),
  from('apps/api/src/planted-reads-spec.ts', 'code-never-reads-tests', './planted-target.spec.js'),
  from('apps/api/src/planted-reads-harness.ts', 'code-never-reads-tests', '../../../test/boundaries/planted-tree.js'),
  from('apps/api/src/planted-drawer.ts', 'no-junk-drawers', './utils/planted.js'),
  from('apps/api/src/planted-barrel.ts', 'no-inner-barrels', './planted-barrel/index.js'),
  from('apps/api/src/planted-cycle-a.ts', 'no-cycles', './planted-cycle-b.js'),
];

/** What the forbidden imports point at, when it is not there by itself. */
export const targets: readonly Planted[] = [
  empty('packages/providers/src/aurora/fetch-records.ts'),
  empty('packages/providers/src/borealis/fetch-records.ts'),
  empty('apps/api/src/planted-target.spec.ts'),
  empty('apps/api/dist/planted.js'),
  empty('apps/api/src/utils/planted.ts'),
  empty('apps/api/src/planted-barrel/index.ts'),
  from('apps/api/src/planted-cycle-b.ts', '', './planted-cycle-a.js'),
];

/** Imports that look like the forbidden ones and are allowed. */
export const allowedImports: readonly Planted[] = [
  from('apps/ingest/src/planted-allowed.ts', '', '@nestjs/common'),
  from('apps/worker/src/planted-allowed.ts', '', '@tributary/providers'),
  from('apps/local/src/planted-allowed.ts', '', '@tributary/embedded-services'),
  from('packages/storage/src/planted-allowed.ts', '', 'pg'),
  from('packages/providers/src/signature/planted-allowed.ts', '', 'node:crypto'),
  from('packages/handoffs/src/planted-allowed.ts', '', 'zod'),
  from('packages/domain/src/planted-allowed.spec.ts', '', '@jest/globals'),
  from('packages/sdk/src/planted-allowed.spec.ts', '', '@tributary/handoffs'),
];
