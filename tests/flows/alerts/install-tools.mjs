/**
 * `npm run metrics:tools`: puts Debian's Prometheus and promtool into the checkout's own folder. The package is taken apart, not installed:
 * installing it would start a service. Ends with 0 where that is not possible: the tests say then what they did not check.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../.sluice/tools', import.meta.url));
const programs = ['prometheus', 'promtool'];
// 19 MB to fetch (Debian 12), and the lists.
const timeout = 180_000;

const isForbidden = !['', '0', 'off', 'false'].includes((process.env.SLUICE_NO_INSTALL ?? '').toLowerCase());
const isMissing = programs.some(
  (program) => !existsSync(join(folder, program)) && !existsSync(join('/usr/bin', program)),
);
if (isMissing && isForbidden) process.stdout.write('prometheus: not fetched, SLUICE_NO_INSTALL is set\n');
if (isMissing && !isForbidden) {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  try {
    fetchPackage(scratch);
  } catch (error) {
    process.stdout.write(`prometheus could not be had: ${error.message}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function fetchPackage(scratch) {
  process.stdout.write('prometheus: apt-get download prometheus\n');
  const run = (command, args) => execFileSync(command, args, { cwd: scratch, stdio: 'ignore', timeout });
  try {
    run('apt-get', ['update', '-q']);
  } catch {
    // Only root may; the lists that are there may do.
  }
  run('apt-get', ['download', '-q', 'prometheus']);
  const [archive] = readdirSync(scratch).filter((name) => name.endsWith('.deb'));
  run('dpkg-deb', ['--extract', archive, 'out']);
  mkdirSync(folder, { recursive: true });
  for (const program of programs) renameAcross(run, join(scratch, 'out/usr/bin', program), join(folder, program));
}

/** The scratch folder may lie on another file system. */
function renameAcross(run, from, to) {
  run('cp', [from, `${to}.part`]);
  renameSync(`${to}.part`, to);
}
