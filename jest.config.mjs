import path from 'node:path';

const root = import.meta.dirname;
const swc = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
};

/** One project for each size of test; the size is in the file name (test/README.md). */
const size = (displayName, suffix, extra = {}) => ({
  displayName,
  rootDir: root,
  testEnvironment: 'node',
  testMatch: [`<rootDir>/{apps,packages,migrations,test}/**/*.${suffix}.ts`],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.tributary/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@tributary/(domain|handoffs|providers|storage|tickets|service-shell|embedded-services|sdk)$': path.join(
      root,
      'packages/$1/src/index.ts',
    ),
    '^@tributary/storage/testing/(.*)\\.js$': path.join(root, 'packages/storage/testing/$1.ts'),
    '^@tributary/migrations$': path.join(root, 'migrations/src/index.ts'),
  },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  ...extra,
});

const services = {
  globalSetup: '<rootDir>/test/setup/start-services.mjs',
  globalTeardown: '<rootDir>/test/setup/stop-services.mjs',
};

export default {
  projects: [size('unit', 'spec'), size('int', 'int-spec', services), size('e2e', 'e2e-spec', services)],
  workerIdleMemoryLimit: '768MB',
  maxWorkers: 2,
  // Real services on a busy machine take their time; a test that hangs still ends.
  testTimeout: 60_000,
  forceExit: Boolean(process.env.CI),
};
