import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { withStackLock } from './folder-lock';
import { kafkaStarter } from './kafka';
import type { ServiceStarter, StartContext } from './launch-service';
import { postgresStarter } from './postgres';
import { endProcess, identify, isRunning, logTail, unavailable, waitUntil } from './processes';
import { redisStarter } from './redis';
import { containerLog, describeEnd, describeRuntime, endRuntime, isAlive } from './runtime';
import { type Log, openStateBook, readState, record, type ServiceName, serviceNames } from './stack-state';
import type { StartedService, StateBook } from './stack-state';

export const starters: Readonly<Record<ServiceName, ServiceStarter>> = {
  postgres: postgresStarter,
  redis: redisStarter,
  kafka: kafkaStarter,
};

/** The variable that names a running service, by service. */
export const urlVariables = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  kafka: 'KAFKA_BROKERS',
} as const satisfies Record<ServiceName, string>;

/** Addresses that the environment gives; an empty variable gives none. */
export function givenUrls(env: NodeJS.ProcessEnv): Partial<Record<ServiceName, string>> {
  const pairs = Object.entries(urlVariables).map(([name, variable]) => [name, env[variable]?.trim()] as const);
  return Object.fromEntries(pairs.filter(([, url]) => url !== undefined && url !== ''));
}

export interface StackOptions<Name extends ServiceName = ServiceName> {
  /** Folder of the data, logs and what is remembered; made when it is not there. Two stacks never share one. */
  readonly dataDir: string;
  readonly want: readonly Name[];
  /** Where it reports its progress, a line at a time. */
  readonly log: Log;
  /** `DATABASE_URL`, `REDIS_URL`, `KAFKA_BROKERS` are taken from it as they are. @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** Leaves the services up when no process needs them any more. @default false */
  readonly keep?: boolean;
  /**
   * False: a Postgres that is started here writes without waiting for the disk. What is committed survives its own crash and ours, not one of
   * the machine. @default true
   */
  readonly isDurable?: boolean;
}

/** Addresses of what was wanted; undefined for the rest. Postgres is named as superuser on the database `postgres`. */
export interface Stack<Name extends ServiceName = ServiceName> {
  readonly databaseUrl: 'postgres' extends Name ? string : undefined;
  readonly redisUrl: 'redis' extends Name ? string : undefined;
  /** `host:port`, comma separated. */
  readonly kafkaBrokers: 'kafka' extends Name ? string : undefined;
  /** What was started on the folder, is wanted, and has ended though it was not stopped. */
  findDead(): Promise<readonly DeadService[]>;
  /**
   * Starts such a service again, on its data and port.
   * @returns false when it was stopped meanwhile, by `npm run stack -- stop`
   * @throws DependencyError when it does not start, or only on another port
   */
  restart(name: ServiceName): Promise<boolean>;
  /** This process needs it no more. Services that it or an earlier run started end when no other process needs them. */
  stop(): Promise<void>;
}

/** A service that ended by itself. */
export interface DeadService {
  readonly name: ServiceName;
  /** `exit code 1`, `SIGKILL`. */
  readonly how: string;
  /** The path and the last lines of its log. */
  readonly logTail: string;
}

/**
 * Brings up what is wanted and not given, or joins what runs already. Services outlive this process when it is killed;
 * the next start on the folder takes them over.
 * @throws DependencyError that names what is missing and how to get it
 */
export async function startStack<Name extends ServiceName>(options: StackOptions<Name>): Promise<Stack<Name>> {
  const { want, log, env = readProcessEnv(), keep = false, isDurable = true } = options;
  const given = givenUrls(env);
  const missing = want.filter((name) => given[name] === undefined);
  if (missing.length === 0) {
    return { ...pick(given, want), findDead: async () => [], restart: async () => false, stop: async () => undefined };
  }
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(resolve(options.dataDir));
  const holder = {
    id: randomUUID(),
    process: identify(process.pid) ?? { pid: process.pid, startedAt: '' },
    wants: missing,
  };
  const leave = async (book: StateBook): Promise<void> => {
    book.state.holders = book.state.holders.filter(({ id }) => id !== holder.id);
    await endUnneeded(book, log);
  };
  const urls = await withStackLock(dataDir, log, async () => {
    const book = openStateBook(dataDir);
    book.state.holders = [...liveHolders(book), holder];
    book.save();
    try {
      const started = await startAll({ dataDir, env, book, log, isDurable }, missing);
      if (keep) book.state.kept = [...new Set([...book.state.kept, ...missing])];
      book.save();
      return started;
    } catch (error) {
      await leave(book);
      throw error;
    }
  });
  const stop = () => withStackLock(dataDir, log, () => leave(openStateBook(dataDir)));
  const restart = (name: ServiceName) =>
    withStackLock(dataDir, log, async () => {
      const book = openStateBook(dataDir);
      if (!book.state.holders.some(({ id }) => id === holder.id)) return false;
      const { url } = await ensure(starters[name], { dataDir, env, book, log, isDurable });
      if (url === urls[name]) return true;
      const remedy = 'Stop this launcher and start it again: every service has to learn the address.';
      throw unavailable(`${name} runs again, but on another port, since its own was taken.`, { remedy });
    });
  return { ...pick({ ...given, ...urls }, want), findDead: () => findDead(dataDir, missing), restart, stop };
}

async function findDead(dataDir: string, names: readonly ServiceName[]): Promise<readonly DeadService[]> {
  const { services, postgresHome } = readState(dataDir);
  const dead: DeadService[] = [];
  for (const name of names) {
    const runtime = services[name]?.runtime;
    if (runtime === undefined || (await isAlive(runtime))) continue;
    const folder = (name === 'postgres' ? postgresHome : undefined) ?? join(dataDir, name);
    const tail =
      runtime.origin === 'program'
        ? logTail(join(folder, `${name}.log`), 5)
        : await containerLog(runtime.engine, runtime.containerId);
    dead.push({ name, how: await describeEnd(runtime), logTail: tail });
  }
  return dead;
}

/**
 * Starts or joins the services, all at once.
 * @returns their addresses
 * @throws the first failure, after every start has come to its end
 */
async function startAll(context: StartContext, names: readonly ServiceName[]) {
  const outcomes = await Promise.allSettled(names.map((name) => ensure(starters[name], context)));
  const urls: Partial<Record<ServiceName, string>> = {};
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason;
    urls[names[index] as ServiceName] = outcome.value.url;
  }
  return urls;
}

async function ensure(starter: ServiceStarter, context: StartContext): Promise<StartedService> {
  const { name } = starter;
  const running = await findRunning(starter, context);
  if (running !== undefined) {
    context.log(`${name}: runs already on port ${running.port} (${describeRuntime(running.runtime)})`);
    return record(context.book, name, running);
  }
  const begunAt = performance.now();
  const service = await starter.start(context);
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  context.log(`${name}: started on port ${service.port} (${describeRuntime(service.runtime)}) in ${seconds} s`);
  return service;
}

/** How long a service that runs already may take to answer before it is started anew, in milliseconds. */
const answerMs = 60_000;

async function findRunning(starter: ServiceStarter, context: StartContext): Promise<StartedService | undefined> {
  const known = context.book.state.services[starter.name];
  const isKnownAlive = known !== undefined && (await isAlive(known.runtime));
  const found = isKnownAlive ? known : starter.findOrphan?.(context);
  if (found === undefined) return undefined;
  let isUsable = false;
  const isSettled = async () => !(await isAlive(found.runtime)) || (isUsable = await starter.answers(found));
  await waitUntil(isSettled, { withinMs: answerMs });
  if (isUsable) return found;
  context.log(`${starter.name}: runs but does not answer, and is started anew`);
  await endRuntime(found.runtime, starter.signals);
  return undefined;
}

const liveHolders = ({ state }: StateBook) => state.holders.filter((holder) => isRunning(holder.process));

/** Ends the services that no living process needs and no run asked to keep. */
async function endUnneeded(book: StateBook, log: Log): Promise<void> {
  book.state.holders = liveHolders(book);
  const needed = new Set([...book.state.kept, ...book.state.holders.flatMap((holder) => holder.wants)]);
  const unneeded = serviceNames.filter((name) => !needed.has(name));
  await Promise.all(
    unneeded.map(async (name) => {
      const service = book.state.services[name];
      if (service === undefined) return;
      const wasAlive = await isAlive(service.runtime);
      await endRuntime(service.runtime, starters[name].signals); // Also of a dead container something is left.
      if (wasAlive) log(`${name}: stopped`);
      delete book.state.services[name];
    }),
  );
  book.save();
}

function pick<Name extends ServiceName>(urls: Partial<Record<ServiceName, string>>, want: readonly Name[]) {
  const wanted: readonly ServiceName[] = want;
  const url = (name: ServiceName) => (wanted.includes(name) ? urls[name] : undefined);
  // The types say the same as the list of names, which the compiler cannot follow.
  return { databaseUrl: url('postgres'), redisUrl: url('redis'), kafkaBrokers: url('kafka') } as Omit<
    Stack<Name>,
    'findDead' | 'restart' | 'stop'
  >;
}

/**
 * Ends services that were started on this folder, and nothing else.
 * @param which `unneeded`: those that no living process needs and no run asked to keep, such as those that a killed `npm test` left behind
 */
export async function releaseStack(dataDir: string, log: Log, which: 'all' | 'unneeded' = 'unneeded'): Promise<void> {
  if (!existsSync(join(dataDir, 'stack.json'))) return;
  await withStackLock(dataDir, log, async () => {
    const book = openStateBook(dataDir);
    if (which === 'all') {
      book.state.kept = [];
      book.state.holders = [];
    }
    await endUnneeded(book, log);
  });
}

/** How long a killed service may take to go, in milliseconds. */
const goneMs = 60_000;

/**
 * Ends one service of the folder as a crash does, for fault tests: Postgres by SIGQUIT (`pg_ctl stop -m immediate`), the
 * others by SIGKILL. It stays wanted: `startStack` on the folder brings it up again, on its data and port. A container
 * loses its data: it is removed.
 * @throws DependencyError when the folder knows no such service
 */
export async function crashService(dataDir: string, name: ServiceName): Promise<void> {
  const service = readState(dataDir).services[name];
  if (service === undefined) {
    throw unavailable(`${name} was not started from ${dataDir}.`);
  }
  if (service.runtime.origin === 'container') return await endRuntime(service.runtime, []);
  await endProcess(service.runtime.process, name === 'postgres' ? ['SIGQUIT'] : [], goneMs);
}
