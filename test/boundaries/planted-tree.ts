import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const ROOT_FILES = [
  'package.json',
  'tsconfig.base.json',
  'tsconfig.spec.json',
  'eslint.config.mjs',
  '.dependency-cruiser.cjs',
  'knip.json',
  'jest.config.mjs',
];

/** A fault, or something that only looks like one: a file, what stands in it, and the rule that must name it. */
export interface Planted {
  readonly file: string;
  readonly source: string;
  readonly rule: string;
}

/**
 * A copy of our sources in which faults are planted, so that nobody who builds at the same moment stumbles over them. It lies inside
 * the repository because packages are then found as always, by walking up to node_modules.
 */
export class PlantedTree {
  readonly root: string;

  constructor() {
    mkdirSync(path.join(root, '.tributary'), { recursive: true });
    this.root = mkdtempSync(path.join(root, '.tributary/bite-'));
    for (const file of ROOT_FILES) cpSync(path.join(root, file), path.join(this.root, file));
    const sources = ['apps', 'packages'].flatMap((parent) => readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`));
    for (const folder of [...sources, 'migrations', 'test']) {
      cpSync(path.join(root, folder), path.join(this.root, folder), {
        recursive: true,
        filter: (from) => !/[\\/](dist|node_modules|fixtures|public)$/.test(from),
      });
    }
  }

  plant(faults: readonly Pick<Planted, 'file' | 'source'>[]): void {
    for (const { file, source } of faults) {
      const target = path.join(this.root, file);
      if (existsSync(target)) throw new Error(`${file} is there already; plant under another name`);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, source);
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export interface Check {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs a program of node_modules or of this folder in `cwd`, to its end. */
export function run(program: string, args: readonly string[], cwd = root): Check {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, program), ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 110_000,
  });
  return { exitCode: status, output: stdout + stderr };
}
