import { perSecond, type LoadSpec } from '../harness/generate-load';
import { pace, type Bench } from '../harness/bench';
import { clearBacklog } from '../harness/clear-backlog';
import type { System } from '../harness/system';
import { asynchronous, writeBody } from '../harness/write-body';

/** Source: goal P1. */
export const connections = 128;

/** Where writes of contacts go, with what they need. @param url of a gateway, when not the first one */
export function writeTarget(
  { project, service }: System,
  url = service('write-gateway').url,
): Pick<LoadSpec, 'url' | 'headers'> {
  const path = `projects/${project.id}/integrations/${project.integrationId}/objects/contacts`;
  return { url: `${url}/v1/${path}`, headers: { 'x-api-key': project.key } };
}

/** Single asynchronous writes for every customer of the project: three rows each, committed before the reply. */
export function acceptLoad(system: System, url?: string): LoadSpec {
  return {
    ...writeTarget(system, url),
    body: writeBody(asynchronous),
    groups: system.project.customers,
    connections,
  };
}

/** The same body for a baseline. */
export function baselineLoad(port: number): LoadSpec {
  return { url: `http://127.0.0.1:${port}/writes`, body: writeBody(asynchronous), connections };
}

/** One of our sides in a comparison of rates: each round begins without a backlog. A quick run's system has other work too. */
export function ourRate(bench: Bench, name: string, system: System, spec: LoadSpec = acceptLoad(system)) {
  return rateOf(bench, name, spec, () => (bench.isQuick ? Promise.resolve() : clearBacklog(system)));
}

/** A side of a comparison of rates. The first round is preceded by a warm-up that does not count. */
export function rateOf(bench: Bench, name: string, spec: LoadSpec, before?: () => Promise<unknown>) {
  const { roundMs, warmUp } = pace(bench);
  return {
    name,
    measure: async (round: number): Promise<number> => {
      await before?.();
      if (round === 0) await bench.load.run({ ...spec, ...warmUp });
      return perSecond(await bench.load.run({ ...spec, durationMs: roundMs }));
    },
  };
}
