import { setTimeout as sleep } from 'node:timers/promises';
import { query } from './query';
import type { World } from './world';

/** Longest wait for calls of a dead process, in milliseconds: far past the 10 s that the fault matrix asks for. */
const boundMs = 240_000;
/** The time is reported to the nearest multiple of this. */
const pollMs = 100;

/**
 * Watches the calls that dead processes hold. Call it when they are gone.
 * @returns milliseconds until each was taken from them: claimed by another, or ready to be, or ended
 */
export async function watchResumption(world: Pick<World, 'serviceUrl'>, pids: readonly number[]): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    const isHeld = await holdCalls(world, pids);
    const tookMs = performance.now() - startedAtMs;
    if (isHeld === undefined || tookMs > boundMs) return tookMs;
    await sleep(pollMs);
  }
}

/** Whether any of these processes holds a call; undefined when none does. */
export async function holdCalls(world: Pick<World, 'serviceUrl'>, pids: readonly number[]): Promise<true | undefined> {
  const held = await query(
    world,
    `select 1 from calls where state = 'running' and split_part(owner, '/', 3)::integer = any(?) limit 1`,
    [pids],
  );
  return held.length > 0 || undefined;
}
