import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

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

/** Asks `/healthz` every 25 ms while `work` runs. */
export async function watching<T>(
  { url, pid }: { readonly url: string; readonly pid: number },
  work: () => Promise<T>,
): Promise<{ result: T; watched: Watched }> {
  const agent = new Agent({ keepAlive: true });
  let [stallMs, waitMs, unanswered] = [0, 0, 0];
  const probe = (): void => {
    const startedAtMs = performance.now();
    const cpuAtStart = mainThreadMs(pid);
    const outgoing = request(`${url}/healthz`, { agent, timeout: timeoutMs }, (reply) => {
      reply.resume();
      reply.on('end', () => {
        const waited = performance.now() - startedAtMs;
        waitMs = Math.max(waitMs, waited);
        stallMs = Math.max(stallMs, Math.min(waited, mainThreadMs(pid) - cpuAtStart));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', () => (unanswered += 1));
    outgoing.end();
  };
  const timer = setInterval(probe, everyMs);
  try {
    const result = await work();
    return { result, watched: { stallMs: Math.round(stallMs), waitMs: Math.round(waitMs), unanswered } };
  } finally {
    clearInterval(timer);
    agent.destroy();
  }
}

/** CPU time of a process's main thread; 0 for one that is gone, which the suite says in another way. */
function mainThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}
