import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DependencyError, SluiceError } from '@sluice/errors';
import { retryWhenPortIsTaken, takePort } from './ports';
import { type DetachedProgram, findProgram, runCommand, spawnDetached, unavailable, waitUntil } from './processes';
import { type ContainerOptions, endRuntime, findEngineFor, isAlive, runContainer, startFailure } from './runtime';
import { type Log, record, type Runtime, type ServiceName, type StartedService, type StateBook } from './stack-state';

/** The collaborators of a starter. */
export interface StartContext {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly book: StateBook;
  /** Whether what is committed survives a crash of the machine. */
  readonly isDurable: boolean;
  /** One line of progress. */
  readonly log: Log;
}

/** How one service is started, checked and stopped. Redis, Kafka and Postgres each have one. */
export interface ServiceStarter {
  readonly name: ServiceName;
  /**
   * Starts the service and waits until it answers. It is in the book as soon as there is something to end.
   * @throws DependencyError with the end of its log, or with the ways to get the program
   */
  start(context: StartContext): Promise<StartedService>;
  /** One that runs on this data though `stack.json` does not know it. */
  findOrphan?(context: StartContext): StartedService | undefined;
  /** Whether it serves requests now. */
  answers(service: StartedService): Promise<boolean>;
  /** What ends it in its own orderly way, in turn; then it is killed. */
  readonly signals: readonly NodeJS.Signals[];
}

/** A service that is a program of the machine or an image. */
export interface LaunchedService {
  readonly name: ServiceName;
  /** For the reader: `Redis`. */
  readonly label: string;
  /** The variable that names a running one instead: `REDIS_URL`. */
  readonly variable: string;
  readonly image: string;
  /** Longest that it may take to answer, in milliseconds. One that has ended is not waited for. */
  readonly startMs: number;
  requirements(context: StartContext): readonly Requirement[];
  /** How it runs in a container of `image`. */
  inContainer(port: number): ContainerOptions;
  /** @param programs paths of what `requirements` names, in their order */
  asProgram(programs: readonly string[], place: Place): Promise<Pick<DetachedProgram, 'program' | 'argv0' | 'args'>>;
  url(port: number): string;
  answers(port: number): Promise<boolean>;
}

/** Where a service runs. */
export interface Place {
  readonly context: StartContext;
  /** Its own, in the data folder. */
  readonly folder: string;
  readonly port: number;
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

export function starterOf(service: LaunchedService): ServiceStarter {
  return {
    name: service.name,
    signals: ['SIGTERM'],
    answers: ({ port }) => service.answers(port),
    start: (context) => retryWhenPortIsTaken(context.book, service.name, () => start(service, context)),
  };
}

async function start(service: LaunchedService, context: StartContext): Promise<StartedService> {
  const { name, label, startMs } = service;
  const folder = join(context.dataDir, name);
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, `${name}.log`);
  const port = await takePort(context.book, name);
  const runtime = await launch(service, { context, folder, port }, logFile);
  const started = record(context.book, name, { runtime, port, url: service.url(port) });
  await waitUntil(async () => !(await isAlive(runtime)) || (await service.answers(port)), { withinMs: startMs });
  if ((await isAlive(runtime)) && (await service.answers(port))) return started;
  const detail = await startFailure(label, runtime, logFile);
  await endRuntime(runtime, ['SIGTERM']);
  throw unavailable(detail);
}

/**
 * Runs the service in the first way that works: programs on the machine, a container engine, programs that we install.
 * @throws DependencyError that names every way to get the service
 */
async function launch(service: LaunchedService, place: Place, logFile: string): Promise<Runtime> {
  const { context } = place;
  const requirements = service.requirements(context);
  const programs = await Promise.all(requirements.map((requirement) => requirement.find()));
  if (programs.includes(undefined)) {
    const container = await tryContainer(service, place);
    if (container !== undefined) return container;
    for (const [at, requirement] of requirements.entries()) {
      programs[at] ??= await install(service, requirement, context);
      if (programs[at] === undefined) throw waysToGet(service, requirements, context.env);
    }
  }
  const program = await service.asProgram(programs as string[], place);
  return { origin: 'program', process: await spawnDetached({ ...program, env: context.env, logFile }) };
}

/** An engine may answer, have the image, and still not be able to run it. */
async function tryContainer(service: LaunchedService, { context, port }: Place): Promise<Runtime | undefined> {
  const { env, log, dataDir } = context;
  const engine = await findEngineFor(service.image, env, log);
  if (engine === undefined) return undefined;
  try {
    return await runContainer({ ...service, ...service.inContainer(port), engine, dataDir, port }, env);
  } catch (error) {
    log(`${service.name}: ${error instanceof SluiceError ? error.detail : String(error)}`);
    return undefined;
  }
}

/** Whether `install` may install on this machine. */
function mayInstall(env: NodeJS.ProcessEnv): boolean {
  const isRoot = process.getuid?.() === 0;
  const isRefused = !['', '0', 'off', 'false'].includes((env.SLUICE_NO_INSTALL ?? '').toLowerCase());
  return isRoot && !isRefused && existsSync('/etc/debian_version') && findProgram('apt-get', env) !== undefined;
}

/** Installs a required program, as root on Debian and with a message. @returns undefined where that cannot be done */
async function install({ label }: LaunchedService, requirement: Requirement, { env, log }: StartContext) {
  if (!mayInstall(env)) return undefined;
  for (const name of requirement.packages) {
    log(`${label} needs ${requirement.label}: apt-get install ${name} (SLUICE_NO_INSTALL=1 forbids it)`);
    const problem = await aptGetInstall(name, env);
    if (problem !== undefined) log(`apt-get did not install ${name}: ${problem}`);
    const program = await requirement.find();
    if (program !== undefined) return program;
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
function waysToGet(
  { label, variable }: LaunchedService,
  requirements: readonly Requirement[],
  env: NodeJS.ProcessEnv,
): DependencyError {
  const programs = requirements.map((requirement) => requirement.label).join(' and ');
  const packages = requirements.map((requirement) => requirement.packages[0]).join(' ');
  const ways = [
    `set ${variable} to a ${label} that runs`,
    'start docker or podman (one that can pull images)',
    `put ${programs} on the PATH (Debian: apt-get install ${packages})`,
    // Who may install has seen why that failed.
    ...(mayInstall(env) ? [] : ['run as root on Debian without SLUICE_NO_INSTALL, and it is installed for you']),
  ];
  return unavailable(`${label} cannot be started on this machine: ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}.`);
}
