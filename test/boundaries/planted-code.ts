import type { Planted } from './planted-tree.js';

const asks = (file: string, rule: string, expression: string): Planted => ({
  file,
  rule,
  source: `export const planted = ${expression};\n`,
});

/** One fault in each file, and the ESLint rule that must name it. */
export const faultyCode: readonly Planted[] = [
  asks('packages/domain/src/planted-clock.ts', 'no-restricted-properties', 'Date.now()'),
  asks('packages/domain/src/planted-date.ts', 'no-restricted-syntax', 'new Date()'),
  asks('packages/domain/src/planted-dice.ts', 'no-restricted-properties', 'Math.random()'),
  asks('packages/domain/src/planted-uuid.ts', 'no-restricted-globals', 'crypto.randomUUID()'),
  asks('packages/domain/src/planted-timer.ts', 'no-restricted-globals', 'setTimeout(() => undefined, 1)'),
  asks('packages/domain/src/planted-process.ts', 'no-restricted-globals', 'process.pid'),
  asks('packages/providers/src/aurora/verify.ts', 'no-restricted-properties', 'Date.now()'),
  asks('packages/providers/src/aurora/fetch-records.ts', 'no-restricted-globals', "fetch('https://planted.example')"),
  asks('packages/providers/src/aurora/notices.ts', 'no-restricted-syntax', 'new Date()'),
  asks('apps/worker/src/planted-environment.ts', 'no-restricted-properties', "process.env['DATABASE_URL']"),
  {
    file: 'apps/worker/src/planted-environment-import.ts',
    rule: 'no-restricted-imports',
    source: "import { env } from 'node:process';\nexport const planted = env['DATABASE_URL'];\n",
  },
  {
    file: 'packages/providers/src/signature/planted-comparison.ts',
    rule: 'no-restricted-imports',
    source: "import { timingSafeEqual } from 'node:crypto';\nexport const planted = timingSafeEqual;\n",
  },
  {
    file: 'apps/worker/src/planted-forward.ts',
    rule: 'no-restricted-syntax',
    source: "import { forwardRef } from '@nestjs/common';\nexport const planted = forwardRef(() => Array);\n",
  },
  { file: 'packages/tickets/src/planted-star.ts', rule: 'no-restricted-syntax', source: "export * from './ticket.js';\n" },
  {
    file: 'packages/storage/src/planted-parameters.ts',
    rule: 'max-params',
    source:
      'export class Planted {\n  constructor(readonly a: 1, readonly b: 1, readonly c: 1, readonly d: 1, readonly e: 1, readonly f: 1) {}\n}\n',
  },
  {
    file: 'packages/storage/src/planted-length.ts',
    rule: 'max-lines',
    source: 'export const planted = 1;\n'.concat('// long\n'.repeat(400)),
  },
  {
    file: 'apps/worker/src/planted-floating.ts',
    rule: '@typescript-eslint/no-floating-promises',
    source: 'const work = async (): Promise<void> => {};\nexport function planted(): void {\n  work();\n}\n',
  },
  {
    file: 'apps/worker/src/planted-misused.ts',
    rule: '@typescript-eslint/no-misused-promises',
    source: 'export const planted = (list: number[], ask: (n: number) => Promise<void>): void => list.forEach(async (n) => ask(n));\n',
  },
  {
    file: 'apps/worker/src/planted-await.ts',
    rule: '@typescript-eslint/await-thenable',
    source: 'export const planted = async (n: number): Promise<number> => await n;\n',
  },
  {
    file: 'apps/worker/src/planted-switch.ts',
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    source: "export function planted(s: 'a' | 'b'): number {\n  switch (s) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}\n",
  },
  {
    file: 'apps/worker/src/planted-any.ts',
    rule: '@typescript-eslint/no-unsafe-assignment',
    source: "export const planted: string = JSON.parse('1');\n",
  },
  { file: 'apps/worker/src/planted-print.ts', rule: 'no-console', source: "export const planted = (): void => console.log('planted');\n" },
  {
    file: 'apps/worker/src/planted-skip.spec.ts',
    rule: 'no-restricted-syntax',
    source: "import { it } from '@jest/globals';\nit.skip('proves nothing', () => undefined);\n",
  },
];

/** What looks like a fault and is allowed where it stands. */
export const fineCode: readonly Planted[] = [
  asks('apps/worker/src/planted.config.ts', '', "process.env['DATABASE_URL']"),
  asks('apps/worker/src/planted-clock.ts', '', 'Date.now()'),
  asks('packages/domain/src/planted-given.ts', '', 'new Date(0)'),
  {
    file: 'packages/storage/src/planted-five.ts',
    rule: '',
    source: 'export const planted = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
  },
];
