import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { endProcess, unavailable } from './processes';
import { endRuntime } from './runtime';
import { withStackLock } from './folder-lock';
import { type Log, openStateBook, readState, type ServiceName, serviceNames } from './stack-state';
import { addHolder, endServices, endUnneeded, removeHolder, startAll } from './start-service';

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
  /** Leaves the services up when nobody needs them any more. @default false */
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
  /** We need it no more. Services that we or an earlier run started end when nobody else needs them. */
  stop(): Promise<void>;
}

/**
 * Brings up what is wanted and not given, or joins what runs already. Services outlive this process when it is killed;
 * the next start on the folder takes them over.
 * @throws DependencyError that names what is missing and how to get it
 */
export async function startStack<Name extends ServiceName>(options: StackOptions<Name>): Promise<Stack<Name>> {
  const { want, log, env = readProcessEnv() } = options;
  const given = givenUrls(env);
  const missing = want.filter((name) => given[name] === undefined);
  if (missing.length === 0) return { ...pick(given, want), stop: async () => undefined };
  const dataDir = openFolder(options.dataDir);
  const { id, urls } = await withStackLock(dataDir, log, () => joinStack({ ...options, env, dataDir }, missing));
  return { ...pick({ ...given, ...urls }, want), stop: () => leave(dataDir, id, log) };
}

async function joinStack(options: StackOptions & { readonly env: NodeJS.ProcessEnv }, missing: readonly ServiceName[]) {
  const { dataDir, env, log, keep = false, isDurable = true } = options;
  const book = openStateBook(dataDir);
  const id = addHolder(book, missing);
  try {
    const urls = await startAll({ dataDir, env, book, log, isDurable }, missing);
    if (keep) book.state.kept = [...new Set([...book.state.kept, ...missing])];
    book.save();
    return { id, urls };
  } catch (error) {
    removeHolder(book, id);
    await endUnneeded(book, log);
    throw error;
  }
}

async function leave(dataDir: string, holderId: string, log: Log): Promise<void> {
  await withStackLock(dataDir, log, async () => {
    const book = openStateBook(dataDir);
    removeHolder(book, holderId);
    await endUnneeded(book, log);
  });
}

function pick<Name extends ServiceName>(urls: Partial<Record<ServiceName, string>>, want: readonly Name[]) {
  const wanted: readonly ServiceName[] = want;
  const url = (name: ServiceName) => (wanted.includes(name) ? urls[name] : undefined);
  // The types say the same as the list of names, which the compiler cannot follow.
  return { databaseUrl: url('postgres'), redisUrl: url('redis'), kafkaBrokers: url('kafka') } as Omit<
    Stack<Name>,
    'stop'
  >;
}

function openFolder(dataDir: string): string {
  mkdirSync(resolve(dataDir), { recursive: true });
  return realpathSync(resolve(dataDir));
}

/** Ends every service that was started on this folder, whoever needs it, and nothing else. */
export async function stopStack(dataDir: string, log: Log): Promise<void> {
  if (!existsSync(join(dataDir, 'stack.json'))) return;
  await withStackLock(dataDir, log, async () => {
    const book = openStateBook(dataDir);
    book.state.kept = [];
    await endServices(book, serviceNames, log);
    book.save();
  });
}

/** Ends the services that no living process needs and nobody asked to keep: what a killed `npm test` left behind. */
export async function releaseStack(dataDir: string, log: Log): Promise<void> {
  if (!existsSync(join(dataDir, 'stack.json'))) return;
  await withStackLock(dataDir, log, async () => endUnneeded(openStateBook(dataDir), log));
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
