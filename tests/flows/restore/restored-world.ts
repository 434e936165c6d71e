import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readProcessEnv } from '@sluice/config';
import { createServiceProcesses, type ProcessName, type ServiceProcesses } from '@sluice/local';
import { repositoryRoot, startStack } from '@sluice/stack';
import { migrateDatabase } from '@sluice/store';
import { startOwnServices } from '../../faults/harness/own-services';
import type { Addresses } from '../../harness/addresses';
import { freePortBase } from '../../harness/free-port-base';
import { adminKey, createTopics, processEnvironment } from '../../harness/stack';
import { copyLive } from './base-backup';

const run = promisify(execFile);
/** Search has no part in it. */
const services: readonly ProcessName[] = ['management', 'write-gateway', 'batcher', 'executor'];

/** Hours and the providers' windows pass so much faster: Salesforce's ten minutes last four seconds, and 48 hours twenty minutes, which no slow machine needs for all the restores. */
const timeScale = 150;

/** A Postgres that has just started beside a Kafka may give no connection for more than the 2 s of a service. */
const databaseWaitMs = 120_000;

/** A database to back up, databases made from the backup, an empty Kafka and Redis for those, and a sandbox that outlives them all. */
export interface RestoredWorld {
  readonly addresses: Addresses;
  /** Holds the backup and the databases. */
  readonly folder: string;
  /** The database that is backed up. Its services use the Kafka and Redis that the tests share. */
  readonly firstUrl: string;
  /** Starts a Postgres on a copy of the backup of another one's home. @returns its address */
  restore(name: string, backup: string): Promise<string>;
  /** @param names @default all that a write needs */
  startServices(databaseUrl: string, names?: readonly ProcessName[]): Promise<ServiceProcesses>;
  /** `npm run restored`. @returns what it said */
  runRestored(databaseUrl: string): Promise<string>;
  stop(): Promise<void>;
}

export async function openRestoredWorld(): Promise<RestoredWorld> {
  const own = await startOwnServices();
  const { folder } = own;
  const stops: (() => Promise<void>)[] = [() => own.stop()];
  const firstUrl = own.url('postgres');
  const empty = { KAFKA_BROKERS: own.url('kafka'), REDIS_URL: own.url('redis') };
  const portBase = await freePortBase();
  const start = (names: readonly ProcessName[], databaseUrl: string) => {
    const given = environmentOf(databaseUrl, portBase);
    const env = databaseUrl === firstUrl ? given : { ...given, ...empty };
    return startProcesses(names, { portBase, logDir: join(folder, `logs-${stops.length}`), env });
  };
  await Promise.all([createTopics(own.url('kafka').split(',')), migrateDatabase(firstUrl, { waitMs: databaseWaitMs })]);
  const sandbox = await start(['sandbox'], firstUrl);
  stops.push(() => sandbox.stop());
  return {
    addresses: addressesOf(sandbox, portBase),
    folder,
    firstUrl,
    restore: async (name, backup) => {
      const stack = await startRestored(join(folder, name), backup);
      stops.push(() => stack.stop());
      return stack.databaseUrl;
    },
    startServices: async (databaseUrl, names = services) => {
      const processes = await start(names, databaseUrl);
      stops.push(() => processes.stop());
      return processes;
    },
    runRestored: async (databaseUrl) => {
      const script = join(repositoryRoot, 'services/executor/dist/restored.js');
      const { stdout } = await run(process.execPath, [script], { env: environmentOf(databaseUrl, portBase) });
      return stdout;
    },
    stop: async () => {
      for (const each of stops.toReversed()) await each();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Postgres of the local stack that finds the copy where it would make an empty folder. */
async function startRestored(dataDir: string, backup: string) {
  const { DATABASE_URL: _url, ...env } = readProcessEnv();
  mkdirSync(dataDir);
  await copyLive(backup, join(dataDir, 'postgres'));
  return await startStack({ dataDir, want: ['postgres'], env, log: () => undefined });
}

function environmentOf(databaseUrl: string, portBase: number): Record<string, string> {
  const providerUrl = `http://127.0.0.1:${portBase + 600}`;
  return processEnvironment({ timeScale }, { databaseUrl, providerUrl });
}

async function startProcesses(
  names: readonly ProcessName[],
  options: Parameters<typeof createServiceProcesses>[0],
): Promise<ServiceProcesses> {
  const processes = createServiceProcesses(options);
  await Promise.all(names.map((name) => processes.start(name)));
  return processes;
}

function addressesOf(processes: ServiceProcesses, portBase: number): Addresses {
  return {
    portBase,
    adminKey,
    baseUrl: `${processes.url('management')}/v1`,
    searchUrl: `${processes.url('search')}/v1`,
    writeUrl: `${processes.url('write-gateway')}/v1`,
    sandboxUrl: processes.url('sandbox'),
  };
}
