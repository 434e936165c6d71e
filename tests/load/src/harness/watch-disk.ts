import { mkdir, mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two tries. Fifty a second see a stall of 0.1 s, and cost less than a commit each. */
const pauseMs = 20;
const block = Buffer.alloc(8_192);

/**
 * Work, and how long the disk of this folder took meanwhile to keep 8 kB in a file that nothing else uses (fdatasync). Commits wait
 * for the same disk: what stalls both is not a lock, a plan or a queue of ours. It says nothing about a Postgres on another disk.
 * @returns the slowest try in milliseconds beside what the work gave
 */
export async function watchDisk<Result>(work: () => Promise<Result>): Promise<{ result: Result; slowestMs: number }> {
  const state = join(process.cwd(), '.sluice');
  await mkdir(state, { recursive: true });
  const folder = await mkdtemp(join(state, 'disk-'));
  const file = await open(join(folder, 'block'), 'w');
  const watch = { isOver: false, slowestMs: 0 };
  try {
    const working = work().finally(() => (watch.isOver = true));
    const [result] = await Promise.all([working, tryUntilOver(file, watch)]);
    return { result, slowestMs: watch.slowestMs };
  } finally {
    watch.isOver = true;
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryUntilOver(file: FileHandle, watch: { isOver: boolean; slowestMs: number }): Promise<void> {
  while (!watch.isOver) {
    const startedAt = performance.now();
    await file.write(block, 0, block.length, 0);
    await file.datasync();
    watch.slowestMs = Math.max(watch.slowestMs, performance.now() - startedAt);
    await sleep(pauseMs);
  }
}
