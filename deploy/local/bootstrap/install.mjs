import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { plainEnvironment } from './environment.mjs';
import { installMark, lockfile, root, workspaceNode } from './paths.mjs';
import { runChild } from './run-child.mjs';

/** Installs when nothing is installed or the lockfile is newer. @returns the exit code, 0 when there was nothing to do */
export async function installWhenNeeded() {
  if (isInstalled()) return 0;
  const pnpm = packageManager();
  process.stderr.write(`Installing what the lockfile names, with ${pnpm} (the first time takes about a minute)\n`);
  const options = ['--frozen-lockfile', '--config.confirmModulesPurge=false'];
  // Standard output belongs to the command that follows.
  const stdio = ['inherit', 2, 2];
  // With the host's Node: the workspace's may be replaced while it installs.
  const code = await runChild('npx', ['--yes', pnpm, 'install', ...options], { stdio, env: plainEnvironment() });
  if (code !== 0) {
    process.stderr.write('The install failed, so nothing was started. The reason stands above.\n');
    return code;
  }
  // pnpm leaves the mark as it is when there was nothing to change.
  utimesSync(installMark, new Date(), new Date());
  return 0;
}

function isInstalled() {
  if (!existsSync(installMark) || !existsSync(workspaceNode)) return false;
  return statSync(installMark).mtimeMs >= statSync(lockfile).mtimeMs;
}

/** `pnpm@10.34.9` of `pnpm@10.34.9+sha512.…`. */
function packageManager() {
  const { packageManager: field } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return field.split('+')[0];
}
