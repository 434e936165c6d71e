import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join, posix } from 'node:path';
import { unavailable, writePrivateFile } from '@sluice/stack';

/** What the data of a volume was last used by. */
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
