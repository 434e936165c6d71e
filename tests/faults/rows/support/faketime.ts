import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's package, and where its library lies. */
const packageName = 'faketime';
const libraryRoot = '/usr/lib';
/** Starting a Node takes a moment. */
const toleranceMs = 60_000;

/**
 * The environment under which a process's clock is off by so many seconds. Durations stay true: only the wall clock moves.
 * @returns undefined where libfaketime is not installed and cannot be
 */
export function clockOffBy(seconds: number): Record<string, string> | undefined {
  const library = findLibrary() ?? install();
  if (library === undefined) return undefined;
  const sign = seconds < 0 ? '-' : '+';
  const env = { LD_PRELOAD: library, FAKETIME: `${sign}${Math.abs(seconds)}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const shown = execFileSync(process.execPath, ['-p', 'Date.now()'], { env, encoding: 'utf8' });
  const offMs = Number(shown) - Date.now() - seconds * 1_000;
  // A process that kept the true time would prove nothing.
  if (Math.abs(offMs) > toleranceMs) throw new Error(`libfaketime leaves the clock ${offMs} ms from ${env.FAKETIME}`);
  return env;
}

function findLibrary(): string | undefined {
  if (!existsSync(libraryRoot)) return undefined;
  return readdirSync(libraryRoot)
    .map((name) => join(libraryRoot, name, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

/** As the stack installs what it lacks: as root on Debian, unless that is forbidden. */
function install(): string | undefined {
  // oxlint-disable-next-line node/no-process-env -- a tool of the tests, not a service
  const isRefused = !['', '0', 'off', 'false'].includes((process.env['SLUICE_NO_INSTALL'] ?? '').toLowerCase());
  if (isRefused || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  try {
    execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore', timeout: 120_000 });
    const args = ['install', '-y', '-q', '--no-install-recommends', packageName];
    execFileSync('apt-get', args, { stdio: 'ignore', timeout: 120_000 });
  } catch {
    return undefined;
  }
  return findLibrary();
}
