import { mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { givenUrls } from './given-urls';
import type { Log } from './log';
import { addHolder, endUnneeded, removeHolder } from './stack-holders';
import { startAll } from './start-service';
import { openStateBook, type ServiceName } from './stack-state';
import { withStackLock } from './stack-lock';

export interface StackOptions<Name extends ServiceName = ServiceName> {
  /** Folder of the data, logs and what is remembered; made when it is not there. Two stacks never share one. */
  readonly dataDir: string;
  readonly want: readonly Name[];
  /** Where it says what it does, a line at a time. */
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
 * @throws DependencyError that says what is missing and how to get it
 */
export async function startStack<Name extends ServiceName>(options: StackOptions<Name>): Promise<Stack<Name>> {
  const { want, log, env = readProcessEnv() } = options;
  const given = givenUrls(env);
  const missing = want.filter((name) => given[name] === undefined);
  if (missing.length === 0) return { ...pick(given, want), stop: async () => undefined };
  const dataDir = openFolder(options.dataDir);
  const { id, urls } = await withStackLock(dataDir, log, () => join({ ...options, env, dataDir }, missing));
  return { ...pick({ ...given, ...urls }, want), stop: () => leave(dataDir, id, log) };
}

async function join(options: StackOptions & { readonly env: NodeJS.ProcessEnv }, missing: readonly ServiceName[]) {
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
