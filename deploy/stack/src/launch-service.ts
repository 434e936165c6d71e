import { existsSync } from 'node:fs';
import { type DependencyError, SluiceError } from '@sluice/errors';
import { findProgram, runCommand, unavailable, waitUntil } from './processes';
import { findEngineFor, isAlive, startFailure } from './runtime';
import type { Log, Runtime, ServiceName, StartedService, StateBook } from './stack-state';

/** What a starter may use. */
export interface StartContext {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly book: StateBook;
  /** Whether what is committed survives a crash of the machine. */
  readonly isDurable: boolean;
  /** One line for whoever waits. */
  readonly log: Log;
}

export type Remember = (service: StartedService) => void;

/** How one service is brought up, asked and ended. Redis, Kafka and Postgres each have one. */
export interface ServiceStarter {
  readonly name: ServiceName;
  /**
   * Starts the service and waits until it answers.
   * @param remember called as soon as there is something to end, before it answers
   * @throws DependencyError with the end of its log, or with the ways to get the program
   */
  start(context: StartContext, remember: Remember): Promise<StartedService>;
  /** One that runs on this data though `stack.json` does not know it. */
  findOrphan?(context: StartContext): StartedService | undefined;
  /** Whether it serves requests now. */
  answers(service: StartedService): Promise<boolean>;
  /** Ends it in its own orderly way, then by force. */
  stop(service: StartedService): Promise<void>;
}

export interface LaunchOptions {
  readonly name: ServiceName;
  /** For the reader: `Redis`. */
  readonly service: string;
  readonly variable: string;
  readonly image: string;
  readonly requirements: readonly Requirement[];
  inContainer(engine: string): Promise<Runtime>;
  /** @param programs paths of what `requirements` names, in their order */
  asProgram(programs: readonly string[]): Promise<Runtime>;
}

/**
 * Brings a service up from the first way that works: what this data folder used before (its data is there), a container
 * engine, programs on the machine, programs that we install.
 * @throws DependencyError that names every way to get the service
 */
export async function launchService(options: LaunchOptions, context: StartContext): Promise<Runtime> {
  const isProgramPreferred = context.book.state.sources[options.name] === 'program';
  const programs = isProgramPreferred ? await findAll(options.requirements) : undefined;
  const container = programs === undefined ? await tryContainer(options, context) : undefined;
  const { env, log } = context;
  const runtime =
    container ??
    (await options.asProgram(programs ?? (await installMissing(options.requirements, { ...options, env, log }))));
  context.book.state.sources[options.name] = runtime.origin;
  context.book.save();
  return runtime;
}

/** An engine may answer, have the image, and still not be able to run it. */
async function tryContainer(options: LaunchOptions, { env, log }: StartContext): Promise<Runtime | undefined> {
  const engine = await findEngineFor(options.image, env, log);
  if (engine === undefined) return undefined;
  try {
    return await options.inContainer(engine);
  } catch (error) {
    log(`${options.name}: ${error instanceof SluiceError ? error.detail : String(error)}`);
    return undefined;
  }
}

async function findAll(requirements: readonly Requirement[]): Promise<string[] | undefined> {
  const found = await Promise.all(requirements.map((requirement) => requirement.find()));
  return found.every((binary) => binary !== undefined) ? found : undefined;
}

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
 * Makes sure that every required program exists: finds it, or as root on Debian installs it, with a message.
 * @throws DependencyError that names every way to get the service
 */
async function installMissing(requirements: readonly Requirement[], options: InstallOptions): Promise<string[]> {
  const found: string[] = [];
  for (const requirement of requirements) {
    const binary = (await requirement.find()) ?? (await install(requirement, options));
    if (binary === undefined) throw waysToGet(requirements, options);
    found.push(binary);
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
    const binary = await requirement.find();
    if (binary !== undefined) return binary;
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
  return unavailable(
    `${service} cannot be started on this machine: ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}.`,
  );
}

/** @returns the service once it answers. @throws DependencyError with the end of its log; it is ended then */
export async function whenAnswering(
  starter: ServiceStarter,
  service: StartedService,
  { label, logFile, withinMs }: { readonly label: string; readonly logFile: string; readonly withinMs: number },
): Promise<StartedService> {
  const { runtime } = service;
  await waitUntil(async () => !(await isAlive(runtime)) || (await starter.answers(service)), { withinMs });
  if ((await isAlive(runtime)) && (await starter.answers(service))) return service;
  const detail = await startFailure(label, runtime, logFile);
  await starter.stop(service);
  throw unavailable(detail);
}
