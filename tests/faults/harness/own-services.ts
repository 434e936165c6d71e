import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { crashService, releaseStack, serviceNames, startStack, type ServiceName } from '@sluice/stack';

/** A Postgres, a Redis and a Kafka that nobody else uses, so that they may be killed. */
export interface OwnServices {
  /** Holds their data and, in `logs`, what the processes write. */
  readonly folder: string;
  url(name: ServiceName): string;
  crash(name: ServiceName): Promise<void>;
  /** Starts what is down again, on its data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts of a service before it counts as broken. */
const startsMax = 3;
/** Behind it stands the process that the folder belongs to. */
const prefix = 'sluice-faults-';
const quiet = (): void => undefined;

/** @param diskMb size of the disk that holds their data and the logs of ours @default that of the machine */
export async function startOwnServices(diskMb?: number): Promise<OwnServices> {
  await removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  if (diskMb !== undefined) mountDisk(folder, diskMb);
  // Postgres does not run as root, and its own user must reach the data.
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  const start = () => startStack({ dataDir, want: serviceNames, env: ownEnvironment(), log: quiet });
  const stacks = [await start()];
  const [first] = stacks as [Awaited<ReturnType<typeof start>>];
  const urls = { postgres: first.databaseUrl, redis: first.redisUrl, kafka: first.kafkaBrokers };
  return {
    folder,
    url: (name) => urls[name],
    crash: (name) => crashService(dataDir, name),
    restart: async () => void stacks.push(await startPersistently(start)),
    stop: async () => {
      for (const stack of stacks) await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
      if (diskMb !== undefined) execFileSync('umount', ['--lazy', folder]);
    },
  };
}

/** A disk of its own for a folder, in memory. @throws where this machine lets nobody mount one */
export function mountDisk(folder: string, sizeMb: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder], { stdio: 'pipe' });
}

/** A broker that was killed may need longer than its starter waits, on a busy machine. */
async function startPersistently<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === startsMax) throw error;
    }
  }
}

/** Without the addresses of the services that the other suites share. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _postgres, REDIS_URL: _redis, KAFKA_BROKERS: _kafka, ...rest } = readProcessEnv();
  return rest;
}

/** Ends and removes what killed runs left behind; another run may have its own services meanwhile. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefix))) {
    const dataDir = join(tmpdir(), name, 'data');
    if (isRunning(Number.parseInt(name.slice(prefix.length), 10)) || !existsSync(join(dataDir, 'stack.json'))) continue;
    await releaseStack(dataDir, quiet);
    if (isEmptied(dataDir)) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Whether a process of this number lives. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isEmptied(dataDir: string): boolean {
  const { services } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as { services: object };
  return Object.keys(services).length === 0;
}
