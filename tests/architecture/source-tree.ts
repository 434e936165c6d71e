import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { benchmark } from './rules';

/** The checkout. */
const root = resolve(__dirname, '../..');

/** Folders of packages, from the root: `libs/http`. A folder without package.json is none. */
export function packageFolders(): string[] {
  const folders = ['libs', 'services', 'deploy'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  return [...folders, benchmark].filter((folder) => existsSync(join(root, folder, 'package.json')));
}

/** Every TypeScript source of the packages and of `tests`, as paths from the root. */
export function sourceFiles(): string[] {
  const folders = packageFolders().filter((folder) => folder !== benchmark);
  // The benchmark lies in `tests`.
  return [...folders, 'tests'].flatMap((folder) => walk(folder, /\.[cm]?tsx?$/));
}

/** The plain scripts that start a checkout. */
export function bootstrapFiles(): string[] {
  return walk('deploy/local', /\.mjs$/);
}

/** Every page of the checkout. */
export function markdownPages(): string[] {
  return textFiles().filter((path) => path.endsWith('.md'));
}

/** Everything that somebody has written. */
export function textFiles(): string[] {
  return walk('.', /\.(?:[cm]?[jt]sx?|json|md|ya?ml|tpl|toml|sh)$|Dockerfile$/).map((path) => path.slice('./'.length));
}

/** The text of a file named from the root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What an install, a build or a run leaves in a checkout. */
const isMade = (name: string): boolean =>
  ['node_modules', 'dist', '.git', '.sluice'].includes(name) || name.startsWith('samples-');

function walk(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isMade(entry.name) ? [] : walk(path, pattern);
    return pattern.test(entry.name) ? [path] : [];
  });
}
