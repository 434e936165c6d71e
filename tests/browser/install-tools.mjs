/**
 * `npm run browser:tools`: installs Debian's chromium, which the browser suites drive, and a font, without which its screenshots show
 * boxes. Ends with 0 where that is not possible: the suites say then that they did not run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

const packages = ['chromium', 'fonts-inter'];
// 90 MB to fetch with its libraries (Debian 12), and the lists.
const timeout = 600_000;

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
const isThere = folders.some((folder) => existsSync(join(folder, 'chromium')));
const isRefused = !['', '0', 'off', 'false'].includes((process.env.SLUICE_NO_INSTALL ?? '').toLowerCase());

if (!isThere && isRefused) process.stdout.write('chromium: not installed, SLUICE_NO_INSTALL is set\n');
if (!isThere && !isRefused) {
  try {
    install();
  } catch (error) {
    process.stdout.write(`chromium could not be installed: ${error.message}\n`);
  }
}

function install() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    throw new Error(`only root on Debian may: apt-get install ${packages.join(' ')}`);
  }
  process.stdout.write(`chromium: apt-get install ${packages.join(' ')} (SLUICE_NO_INSTALL=1 forbids it)\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'], timeout });
  try {
    run('update', '-q');
  } catch {
    // An old list still installs much.
  }
  run('install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages);
}
