import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join, posix } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import {
  listenForStop,
  type LocalSettings,
  readLocalSettings,
  readState,
  say,
  unavailable,
  untilStopped,
  writePrivateFile,
} from '@sluice/stack';
import { migrations } from '@sluice/store';
import { type Demo, demoFileOf, pasteable } from './demo/demo';
import { seedDemo, seedSandboxDemo } from './demo/seed-demo';
import { openLocalSecrets } from './local-secrets';
import { refuseScaledTime, runSession } from './run-session';

const usage = `What the image "sluice" runs: everything in one process, and Postgres beside it.
  --settings  prints, of the container that runs, what an installation that takes over its data needs
`;

/** `container`, the command of the image `sluice`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const settings = readLocalSettings(readProcessEnv());
  refuseScaledTime(settings);
  if (args.length === 0) return await serve(settings);
  if (args.length === 1 && args[0] === '--settings') return printSettings(settings);
  process.stderr.write(usage);
  return 2;
}

const own = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };

/** Writes that wait for an imitation must never reach a real account, nor the other way round: each has its own database. */
const homeOf = ({ dataDir, isReal }: LocalSettings): string => join(dataDir, isReal ? 'real' : 'sandbox');

async function serve(settings: LocalSettings): Promise<number> {
  const [home, withSandbox] = [homeOf(settings), !settings.isReal];
  assertMounted(settings.dataDir, readFileSync('/proc/self/mountinfo', 'utf8'));
  await lockVolume(settings.dataDir);
  claimVersion(home, own.version, migrations.at(-1)?.name ?? '');
  // Of a Postgres that was killed with its container. The number in it may be one of our threads now, and Postgres would not start beside it.
  rmSync(join(home, 'postgres', 'data', 'postmaster.pid'), { force: true });
  const isFirst = !existsSync(demoFileOf(home));
  const stop = listenForStop();
  const options = {
    settings,
    home,
    command: 'docker run',
    footprint: 'embedded',
    withSandbox,
    stop,
    log: say,
  } as const;
  return await runSession(options, async ({ folder, addresses, secrets }) => {
    const common = { folder, addresses, secrets, manifest: join(__dirname, '../sluice.yaml') };
    const demo = withSandbox
      ? (await seedSandboxDemo(common)).demo
      : await seedDemo({ ...common, name: 'demo', customers: [], withSandbox });
    for (const line of describe(demo, folder, isFirst)) say(line);
    await untilStopped(stop);
    say('stopping');
    return 0;
  });
}

function describe(demo: Demo, folder: string, isFirst: boolean): readonly string[] {
  const { baseUrl, searchUrl, writeUrl, sandboxUrl, project, apiKey } = demo;
  const guide = baseUrl.replace(/\/v1$/, '/docs/guide');
  return [
    '',
    `management  ${baseUrl}`,
    `console     ${baseUrl.replace(/\/v1$/, '/console')}`,
    `guide       ${guide}`,
    `search      ${searchUrl}`,
    `write       ${writeUrl}`,
    `providers   ${sandboxUrl === undefined ? 'the real ones' : 'imitations inside this container; SLUICE_REAL_PROVIDERS=on takes the real ones'}`,
    `project     ${project.name} (${project.id})`,
    isFirst
      ? `API key     ${apiKey}   shown this once; it may do everything in the project`
      : `API key     was shown at the first start, and is in ${demoFileOf(folder)}`,
    '',
    ...(sandboxUrl === undefined ? [] : ['To paste, with KEY set to the API key:', ...pasteable(demo), '']),
    `This is for one machine: one process, one disk, no standby, and an upgrade stops it. To move on: ${guide}/one-container`,
  ];
}

function printSettings(settings: LocalSettings): number {
  const home = homeOf(settings);
  const url = readState(home).services.postgres?.url;
  if (url === undefined) throw unavailable('No Sluice runs in this container.');
  const { adminKey, credentialsKeys } = openLocalSecrets(home, settings.env);
  const lines = { DATABASE_URL: url, SLUICE_CREDENTIALS_KEYS: credentialsKeys, SLUICE_ADMIN_KEY: adminKey };
  for (const [name, value] of Object.entries(lines)) say(`${name}=${value}`);
  return 0;
}

/** The kind of run that last used the data of a volume. */
export interface VolumeVersion {
  /** Of Sluice. */
  readonly version: string;
  /** The last migration that it knows. */
  readonly migration: string;
}

/**
 * Refuses a folder that goes with the container: what was accepted would go too.
 * @param mountInfo text of `/proc/self/mountinfo`. Source: proc_pid_mountinfo(5), field 5 is the mount point
 * @throws DependencyError with the option to add
 */
export function assertMounted(folder: string, mountInfo: string): void {
  const points = mountInfo.split('\n').map((line) => (line.split(' ')[4] ?? '/').replaceAll(String.raw`\040`, ' '));
  const isWithin = (point: string) => point !== '/' && `${posix.normalize(folder)}/`.startsWith(`${point}/`);
  if (points.some(isWithin)) return;
  throw unavailable(`No volume is mounted at ${folder}, so everything would be lost with this container.`, {
    remedy: `Add -v sluice:${folder} to docker run.`,
  });
}

/**
 * Refuses data that a newer Sluice has used, since its schema may lack what this version needs, and notes this version in the folder. To be called
 * before the data is migrated.
 * @param migration name of the last one of this version: names begin with their moment, so a later one is of a newer version
 * @throws DependencyError with the version to run
 */
export function claimVersion(folder: string, version: string, migration: string): void {
  const file = join(folder, 'version.json');
  if (existsSync(file)) {
    const last = JSON.parse(readFileSync(file, 'utf8')) as VolumeVersion;
    if (last.migration > migration) {
      throw unavailable(
        `The data in ${folder} was used by Sluice ${last.version}, which is newer than this, ${version}.`,
        {
          remedy: `Run the image of ${last.version} or of a later version, or mount another volume.`,
        },
      );
    }
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivateFile(file, { version, migration } satisfies VolumeVersion);
}

/**
 * Keeps a second container from using the volume: process numbers say nothing across containers, a lock of the kernel does. `cat` ends with us,
 * however we end, and the lock with it.
 * @throws DependencyError when another container has it, or the folder cannot be written
 */
export async function lockVolume(folder: string): Promise<void> {
  const holder = spawn('flock', ['--nonblock', join(folder, 'lock'), 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let problem = '';
  holder.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
  const isHeld = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'close').then(() => false),
  ]);
  if (isHeld) return letGo(holder);
  if (problem !== '') {
    throw unavailable(`${folder} cannot be written: ${problem.trim()}`, {
      remedy: `It has to belong to user 10001: chown 10001:10001 on the folder that is mounted, or use a volume: -v sluice:${folder}`,
    });
  }
  throw unavailable(`${folder} is in use by another container.`, {
    remedy: 'Stop that one, or give this one a volume of its own.',
  });
}

/** Its end must not wait for this child, which waits for us. */
function letGo(holder: ChildProcess): void {
  holder.unref();
  for (const stream of [holder.stdin, holder.stdout, holder.stderr]) (stream as Socket | null)?.unref();
}
