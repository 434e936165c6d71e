import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

const modules = join(root, 'node_modules');

/** The Node that the workspace brings, whatever the host has. */
export const workspaceNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** Written by pnpm at the end of an install. */
export const installMark = join(modules, '.modules.yaml');

export const lockfile = join(root, 'pnpm-lock.yaml');

export const launcher = join(root, 'deploy', 'local', 'dist', 'index.js');

/** Make the console's page, the pages of the guide and the API reference, where they are older than their sources. */
export const pageBuilds = ['console', 'guide', 'reference'].map((name) => join(root, 'libs', name, 'build.mjs'));

/** Makes the packages that others install. */
export const packagesScript = join(root, 'deploy', 'release', 'packages.mjs');

/** The script behind the command `name` of an installed development tool. */
export function tool(name, inPackage = name) {
  const folder = join(modules, inPackage);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}
