import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readProcessEnv } from '@sluice/config';

const root = resolve(__dirname, '../..');
const { PATH = '' } = readProcessEnv();

/** A folder with nothing but the two packages in it, as a stranger has it. */
export interface Installed {
  readonly folder: string;
  /** What npm said. */
  readonly output: string;
  remove(): void;
}

/** The files that `npm run release:packages` makes, put into an empty folder. No registry is there to be asked. */
export function installPackages(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-packages-'));
  const made = join(folder, 'made');
  const script = join(root, 'deploy/release/packages.mjs');
  const files = execFileSync(process.execPath, [script, '--out', made], { encoding: 'utf8' }).trim().split('\n');
  const empty = join(folder, 'project');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{ "name": "somebody", "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--registry', 'http://127.0.0.1:9', ...files];
  const env = { PATH, HOME: folder, npm_config_cache: join(folder, 'cache') };
  const npm = spawnSync('npm', args, { cwd: empty, env, encoding: 'utf8' });
  if (npm.status !== 0) throw new Error(`npm install ended with ${npm.status}: ${npm.stderr}`);
  return {
    folder: empty,
    output: npm.stdout,
    remove: () => void execFileSync('rm', ['-rf', folder]),
  };
}

/** Everything below a folder, by its path from there. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
