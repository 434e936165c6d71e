import type { Readiness } from './operability-routes';

/**
 * A readiness check that asks each dependency. List only what the service cannot work without: what it merely works better with
 * must not take it out of the balancer.
 */
export function readyWhen(healthy: Readonly<Record<string, () => Promise<boolean>>>): () => Promise<Readiness> {
  return async () => {
    const names = Object.keys(healthy);
    const answers = await Promise.all(Object.values(healthy).map((ask) => ask()));
    const checks = Object.fromEntries(names.map((name, at) => [name, answers[at] === true ? 'ok' : 'does not answer']));
    return { ready: answers.every(Boolean), checks };
  };
}
