import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Folders that hold our source, relative to `root`: `apps/api/src`, …, `packages/storage/testing`, `migrations/src`, `test`. */
export function sourceFolders(root) {
  const inside = (parent) => (existsSync(path.join(root, parent)) ? readdirSync(path.join(root, parent)).sort() : []);
  const projects = [...['apps', 'packages'].flatMap((parent) => inside(parent).map((name) => `${parent}/${name}`)), 'migrations'];
  return [...projects.flatMap((project) => [`${project}/src`, `${project}/testing`]), 'test'].filter((folder) =>
    existsSync(path.join(root, folder)),
  );
}

/** Every TypeScript file in them: what a check that looked at everything has looked at. */
export function sourceFiles(root) {
  return sourceFolders(root).flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .map((file) => `${folder}/${file}`.replaceAll(path.sep, '/'))
      .filter((file) => file.endsWith('.ts') && !file.includes('/node_modules/') && !file.includes('/dist/')),
  );
}
