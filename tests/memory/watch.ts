import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** How long a service kept somebody waiting who wanted nothing of it. */
export interface Watched {
  /**
   * The longest that its main thread worked while a probe waited, in milliseconds: how long it held its event loop. CPU time, because on a busy
   * machine a probe also waits for whoever else has the cores: the tests themselves, the provider, the database.
   */
  readonly stallMs: number;
  /** The longest wait of a probe, by the clock. */
  readonly waitMs: number;
  /** Probes without an answer. */
  readonly unanswered: number;
}

const everyMs = 25;
const timeoutMs = 30_000;

/**
 * Asks `/healthz` on one connection, 25 ms after each answer, while `work` runs. The connection is there before the work begins: a flood of
 * new ones overflows the kernel's accept queue, and who waits a second to be let in is not kept by the event loop.
 */
export async function watching<T>(
  { url, pid }: { readonly url: string; readonly pid: number },
  work: () => Promise<T>,
): Promise<{ result: T; watched: Watched }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await probe(`${url}/healthz`, agent);
  let [stallMs, waitMs, unanswered] = [0, 0, 0];
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const [startedAtMs, cpuAtStart] = [performance.now(), mainThreadMs(pid)];
      if (!(await probe(`${url}/healthz`, agent))) unanswered += 1;
      const waited = performance.now() - startedAtMs;
      waitMs = Math.max(waitMs, waited);
      stallMs = Math.max(stallMs, Math.min(waited, mainThreadMs(pid) - cpuAtStart));
      await setTimeout(everyMs);
    }
  };
  const watched = watch();
  const result = await work().finally(() => over.abort());
  await watched;
  agent.destroy();
  return { result, watched: { stallMs: Math.round(stallMs), waitMs: Math.round(waitMs), unanswered } };
}

/** @returns Whether there was an answer. */
function probe(url: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(url, { agent, timeout: timeoutMs }, (reply) => {
      reply.resume();
      reply.on('end', () => resolve(true));
      reply.on('error', () => resolve(false));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', () => resolve(false));
    outgoing.end();
  });
}

/** CPU time of a process's main thread; 0 for one that is gone, which the suite says in another way. */
function mainThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}
