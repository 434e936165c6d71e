import { startStack, type OwnStack, type StackOptions } from '../harness/stack';
import {
  createMemoryGroup,
  forgetPeak,
  limitedAs,
  peakBytesOf,
  type LimitedName,
  type MemoryGroup,
} from './memory-limit';
import { watching } from './watch';

/** A stack whose services have the memory of the chart. */
export interface LimitedStack extends OwnStack {
  /**
   * Does work that may harm a service, then says what it did to it: dead, over its limit, or silent for a second. Prints a line with what it
   * held and for how long nobody was answered.
   */
  surviving<T>(name: LimitedName, what: string, work: () => Promise<T>): Promise<T>;
}

const names: readonly LimitedName[] = ['management', 'search', 'write-gateway', 'batcher', 'executor'];
const mebi = 1024 * 1024;
/** In which a service must answer somebody. */
const stallMaxMs = 1_000;
/** What the design aims at; printed, since timing decides no test. */
const stallAimMs = 250;

export async function startLimitedStack(options: StackOptions): Promise<LimitedStack> {
  const limitedNames = names.filter((name) => options.only?.includes(name) ?? true);
  const groups = new Map<string, MemoryGroup>(
    limitedNames.map((name) => [name, createMemoryGroup(name, limitedAs(name).limitBytes)]),
  );
  const stack = await startStack({
    ...options,
    envOf: Object.fromEntries(limitedNames.map((name) => [name, { ...limitedAs(name).env, ...options.envOf?.[name] }])),
    // Before Node has read how much memory it has.
    onSpawn: (name, pid) => groups.get(name)?.add(pid),
  });
  const pids = new Map(limitedNames.map((name) => [name, stack.processes.pid(name) ?? 0]));
  return {
    ...stack,
    surviving: async (name, what, work) => {
      const { limitBytes } = limitedAs(name);
      const pid = pids.get(name) ?? 0;
      forgetPeak(pid);
      const { result, watched } = await watching({ url: stack.processes.url(name), pid }, work);
      const peakBytes = peakBytesOf(pid);
      const isEnforced = groups.get(name)?.isEnforced === true;
      const peakMiB = peakBytes === undefined ? 'dead' : Math.round(peakBytes / mebi);
      const line = { service: name, what, peakMiB, limitMiB: limitBytes / mebi, isEnforced, ...watched, stallAimMs };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      expect({ name, what, isDead: peakBytes === undefined }).toEqual({ name, what, isDead: false });
      // Where the kernel keeps the limit it is the judge: it does not count what it can drop.
      if (!isEnforced) expect(peakBytes).toBeLessThan(limitBytes);
      expect(watched.unanswered).toBe(0);
      expect(watched.stallMs).toBeLessThan(stallMaxMs);
      return result;
    },
    stop: async () => {
      await stack.stop();
      for (const group of groups.values()) group.remove();
    },
  };
}
