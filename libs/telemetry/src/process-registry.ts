import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** Default metrics of this process, collected once however many services run in it. */
export function processRegistry(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
