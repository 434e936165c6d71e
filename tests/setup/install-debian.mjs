/**
 * Installs Debian's packages for the suites that drive a program of theirs. Ends with 0 where that is not possible: the suites say then that they
 * did not run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

// 90 MB to fetch for chromium with its libraries (Debian 12), and the lists.
const timeout = 600_000;

/** @param packages what has the program, and what it needs beside it; nothing is done where the program is there */
export function installDebian(program, packages) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  const isThere = folders.some((folder) => existsSync(join(folder, program)));
  const isRefused = !['', '0', 'off', 'false'].includes((process.env.SLUICE_NO_INSTALL ?? '').toLowerCase());
  if (isThere) return;
  if (isRefused) {
    process.stdout.write(`${program}: not installed, SLUICE_NO_INSTALL is set\n`);
    return;
  }
  try {
    install(program, packages);
  } catch (error) {
    process.stdout.write(`${program} could not be installed: ${error.message}\n`);
  }
}

function install(program, packages) {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    throw new Error(`only root on Debian may: apt-get install ${packages.join(' ')}`);
  }
  process.stdout.write(`${program}: apt-get install ${packages.join(' ')} (SLUICE_NO_INSTALL=1 forbids it)\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'], timeout });
  try {
    run('update', '-q');
  } catch {
    // An old list still installs much.
  }
  run('install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages);
}
