import { Agent, request } from 'node:http';

/** How long a service kept somebody waiting who wanted nothing of it. */
export interface Watched {
  /** The longest answer to a probe, in milliseconds: how long the event loop was held. */
  readonly stallMs: number;
  /** Probes without an answer. */
  readonly unanswered: number;
}

const everyMs = 25;
const timeoutMs = 30_000;

/**
 * Asks `/healthz` every 25 ms while `work` runs. Timing decides no test but this: a second in which nobody is answered is what the suite is
 * about, and 40 times what such an answer takes.
 */
export async function watching<T>(url: string, work: () => Promise<T>): Promise<{ result: T; watched: Watched }> {
  const agent = new Agent({ keepAlive: true });
  let [stallMs, unanswered] = [0, 0];
  const probe = (): void => {
    const startedAtMs = performance.now();
    const outgoing = request(`${url}/healthz`, { agent, timeout: timeoutMs }, (reply) => {
      reply.resume();
      reply.on('end', () => (stallMs = Math.max(stallMs, performance.now() - startedAtMs)));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', () => (unanswered += 1));
    outgoing.end();
  };
  const timer = setInterval(probe, everyMs);
  try {
    const result = await work();
    return { result, watched: { stallMs: Math.round(stallMs), unanswered } };
  } finally {
    clearInterval(timer);
    agent.destroy();
  }
}
