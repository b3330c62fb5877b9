// Rules that the compiler and the boundary check cannot see. Shown to bite by test/boundaries/bite.spec.ts.
// In a flat config a later object replaces a rule of the same name and does not add to it: so restrictions are composed from the lists
// below, and each kind of file has exactly one object that sets them.
import tseslint from 'typescript-eslint';

const specs = ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'];
/** Test code that is no spec: harness, seeds, suites, stand-ins, benchmarks. */
const harness = ['test/**', 'apps/*/testing/**', 'packages/*/testing/**', 'migrations/testing/**'];
/** Programs that a person runs in a terminal: they print, and take their settings from the environment themselves. */
const tools = ['apps/local/**', 'apps/api/src/cli.ts', 'apps/api/src/cli/**', '**/write-*.ts', 'migrations/src/run.ts'];

const always = [
  { selector: "CallExpression[callee.name='forwardRef']", message: 'Two classes that need each other are one class, or miss a third.' },
  { selector: 'ExportAllDeclaration', message: 'Spell out the names: an entry file is a list that people read.' },
];
const inTests = [
  {
    selector: 'CallExpression[callee.object.name=/^(it|test|describe)$/][callee.property.name=/^(skip|only|todo|failing)$/]',
    message: 'A test that does not run proves nothing: mend it or remove it.',
  },
  { selector: 'CallExpression[callee.name=/^(xit|xtest|xdescribe|fit|fdescribe)$/]', message: 'A test that does not run proves nothing.' },
];
const pure = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time as an argument: `now`, epoch milliseconds.',
  },
  { selector: "CallExpression[callee.name='Date']", message: 'Take the time as an argument: `now`, epoch milliseconds.' },
];
const noEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Read the environment once, in a *.config.ts file, through readConfig.',
};
const noClock = [
  { object: 'Date', property: 'now', message: 'Take the time as an argument: `now`, epoch milliseconds.' },
  { object: 'Math', property: 'random', message: 'Take the number as an argument.' },
];
const noEnvironmentImport = {
  name: 'node:process',
  importNames: ['env'],
  message: 'Read the environment once, in a *.config.ts file, through readConfig.',
};
const noComparison = {
  name: 'node:crypto',
  importNames: ['timingSafeEqual'],
  message: 'Secrets are compared in providers/src/signature/constant-time.ts only.',
};
/** Classes whose text form is what a template wants. */
const namesThatPrint = (from) => ({ name: ['Error', 'URL', 'URLSearchParams'], from, ...(from === 'package' ? { package: 'node' } : {}) });
const handed = (what) => `Is handed in, so that the same input gives the same result: ${what}.`;
const machineGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']
  .map((name) => ({ name, message: handed('the client') }))
  .concat(
    ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map((name) => ({ name, message: handed('no timers here') })),
    ['process', 'performance', 'crypto', 'globalThis', 'global'].map((name) => ({ name, message: handed('the machine') })),
  );

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '.tributary/', '.nx/', 'coverage/', '**/generated/', '**/*.d.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    name: 'every file',
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-params': ['error', 5],
      'no-restricted-syntax': ['error', ...always],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-debugger': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-unsafe-finally': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    name: 'TypeScript, with types',
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: ['./tsconfig.spec.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allow: ['lib', 'package'].map(namesThatPrint) }],
      // A function is async because its port says so, whether or not this variant waits.
      '@typescript-eslint/require-await': 'off',
      // Ports are objects of closures here, taken apart freely; nothing in them says `this`.
      '@typescript-eslint/unbound-method': 'off',
      // Postgres' type numbers come as plain numbers.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': 'off',
      'no-restricted-properties': ['error', noEnvironment],
      'no-restricted-imports': ['error', { paths: [noEnvironmentImport, noComparison] }],
    },
  },
  {
    name: 'product code does not print',
    files: ['apps/*/src/**/*.ts', 'packages/*/src/**/*.ts', 'migrations/src/**/*.ts'],
    ignores: [...specs, ...tools],
    rules: { 'no-console': 'error' },
  },
  {
    name: 'where the environment is read',
    files: [
      '**/*.config.ts',
      'packages/service-shell/src/read-config.ts',
      '**/src/main.ts',
      ...tools,
      ...specs,
      ...harness.map((glob) => `${glob}/*.ts`),
    ],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-imports': ['error', { paths: [noComparison] }] },
  },
  {
    name: 'where secrets are compared, and their oracle in tests',
    files: ['packages/providers/src/signature/constant-time.ts', ...specs, ...harness.map((glob) => `${glob}/*.ts`)],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    name: 'no clock, no dice, no machine',
    files: ['packages/domain/src/**/*.ts', 'packages/providers/src/**/*.ts'],
    ignores: specs,
    rules: {
      'no-restricted-syntax': ['error', ...always, ...pure],
      'no-restricted-properties': ['error', noEnvironment, ...noClock],
      'no-restricted-globals': ['error', ...machineGlobals],
    },
  },
  {
    name: 'tests run, all of them',
    files: [...specs, ...harness],
    rules: { 'no-restricted-syntax': ['error', ...always, ...inTests] },
  },
  {
    name: 'tests speak loosely about values from outside',
    files: [...specs, ...harness.map((glob) => `${glob}/*.ts`)],
    rules: {
      // JSON from the wire and rows from a query are compared whole with what is expected, which checks more than a type would.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
