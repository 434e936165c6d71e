import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity, waitUntil, unavailable } from './processes';
import type { Log } from './stack-state';

/** Longest that another process is waited for, in milliseconds: the first start may download Kafka and install programs. */
const patienceMs = 15 * 60_000;

/**
 * Runs `work` while no other process does so for this folder. A lock whose process has died is taken over.
 * @throws DependencyError when another process holds it for longer than a quarter of an hour
 */
export async function withStackLock<T>(dataDir: string, log: Log, work: () => Promise<T>): Promise<T> {
  mkdirSync(dataDir, { recursive: true });
  const lock = join(dataDir, 'stack.lock');
  const isMine = await waitForLock(lock, log);
  if (!isMine) {
    throw unavailable(
      `Process ${holderOf(lock)?.pid} has been starting or stopping the services in ${dataDir} for too long.`,
      { remedy: `End it, or remove ${lock}.` },
    );
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function waitForLock(lock: string, log: Log): Promise<boolean> {
  let attempts = 0;
  return waitUntil(
    () => {
      attempts += 1;
      if (attempts === 20)
        log(`waiting for process ${holderOf(lock)?.pid}, which is starting or stopping the services`);
      return tryLock(lock);
    },
    { withinMs: patienceMs, everyMs: 100 },
  );
}

function tryLock(lock: string): boolean {
  const holder = holderOf(lock);
  if (holder !== undefined && isRunning(holder)) return false;
  if (holder !== undefined) removeDead(lock, holder);
  // A link appears with its content or not at all, unlike a file that is made and then written.
  const own = `${lock}.${process.pid}-${performance.now()}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    linkSync(own, lock);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Only one of several finders moves the file away; who finds that it moved a newer one puts it back. */
function removeDead(lock: string, dead: ProcessIdentity): void {
  const aside = `${lock}.${process.pid}-dead`;
  try {
    renameSync(lock, aside);
    if (holderOf(aside)?.startedAt !== dead.startedAt) linkSync(aside, lock);
  } catch {
    // Another finder was faster.
  } finally {
    rmSync(aside, { force: true });
  }
}

function holderOf(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
