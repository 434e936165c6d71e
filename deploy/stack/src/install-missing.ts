import { existsSync } from 'node:fs';
import { DependencyError } from '@sluice/errors';
import { findProgram } from './find-program';
import type { Log } from './log';
import { runCommand } from './run-command';

/** A program that a service needs, and how a machine gets it. */
export interface Requirement {
  /** What is looked for, for the reader: `java 17 or later`. */
  readonly label: string;
  /** @returns what was looked for; undefined when the machine has none that will do */
  find(): Promise<string | undefined>;
  /** Debian packages that bring it, the best first: each is tried until `find` succeeds. */
  readonly packages: readonly string[];
}

export interface InstallOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The service that needs it: `Redis`. */
  readonly service: string;
  /** The variable that names a running one instead: `REDIS_URL`. */
  readonly variable: string;
  readonly log: Log;
}

/**
 * Makes sure that every required program is there: finds it, or as root on Debian installs it, said aloud.
 * @throws DependencyError that names every way to get the service
 */
export async function installMissing(requirements: readonly Requirement[], options: InstallOptions): Promise<string[]> {
  const found: string[] = [];
  for (const requirement of requirements) {
    const place = (await requirement.find()) ?? (await install(requirement, options));
    if (place === undefined) throw waysToGet(requirements, options);
    found.push(place);
  }
  return found;
}

/** Whether `installMissing` may install on this machine. */
function mayInstall(env: NodeJS.ProcessEnv): boolean {
  const isRoot = process.getuid?.() === 0;
  const isRefused = !['', '0', 'off', 'false'].includes((env.SLUICE_NO_INSTALL ?? '').toLowerCase());
  return isRoot && !isRefused && existsSync('/etc/debian_version') && findProgram('apt-get', env) !== undefined;
}

async function install(requirement: Requirement, options: InstallOptions): Promise<string | undefined> {
  if (!mayInstall(options.env)) return undefined;
  for (const name of requirement.packages) {
    options.log(
      `${options.service} needs ${requirement.label}: apt-get install ${name} (SLUICE_NO_INSTALL=1 forbids it)`,
    );
    const problem = await aptGetInstall(name, options.env);
    if (problem !== undefined) options.log(`apt-get did not install ${name}: ${problem}`);
    const place = await requirement.find();
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Services start side by side, but apt-get runs once at a time. */
let aptIsFree: Promise<unknown> | undefined;

async function aptGetInstall(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, withinMs: 10 * 60_000 };
  // The lists are fetched before the first package; an old list still installs much, and its failure shows below.
  const before = aptIsFree ?? runCommand('apt-get', ['update', '-q'], quiet);
  const args = ['install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name];
  const installed = before.then(() => runCommand('apt-get', args, quiet));
  aptIsFree = installed;
  const result = await installed;
  return result.code === 0 ? undefined : result.output.trim().split('\n').slice(-3).join(' / ');
}

/** One sentence, as it is all that a test run prints of it. */
function waysToGet(requirements: readonly Requirement[], { env, service, variable }: InstallOptions): DependencyError {
  const labels = requirements.map((requirement) => requirement.label).join(' and ');
  const packages = requirements.map((requirement) => requirement.packages[0]).join(' ');
  const ways = [
    `set ${variable} to a ${service} that runs`,
    'start docker or podman (one that can pull images)',
    `put ${labels} on the PATH (Debian: apt-get install ${packages})`,
    // Who may install has seen why that failed.
    ...(mayInstall(env) ? [] : ['run as root on Debian without SLUICE_NO_INSTALL, and it is installed for you']),
  ];
  const detail = `${service} cannot be started on this machine: ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}.`;
  return new DependencyError({ code: 'service.unavailable', detail });
}
