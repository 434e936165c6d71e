import { perSecond, type LoadSpec } from '../harness/generate-load';
import { alternate, roundsOf } from '../harness/alternate';
import { pace, type Bench, type Measured } from '../harness/bench';
import { startChild } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { cpuOf, systemProcesses } from '../harness/cpu';
import { comparedFinding, type Finding, ownFinding, type Target } from '../harness/finding';
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

export interface AcceptBaseline {
  /** File in `baselines`, without its ending. */
  readonly program: string;
  readonly argument: object;
  readonly against: string;
  readonly target: Target;
  readonly floor?: string;
  /** Most CPU of all processes per accept, in microseconds. Absent: not measured. */
  readonly cpuAtMost?: number;
  /** Called on the baseline before each of its rounds. */
  readonly clear?: (url: string) => Promise<unknown>;
}

/** P1 to P4: what one gateway accepts durably, and what one process of the baseline takes. */
export async function compareAccept(bench: Bench, baseline: AcceptBaseline): Promise<Measured> {
  return bench.withSystem({ services: ['write-gateway'] }, async (system) => {
    const child = await startChild(`baselines/${baseline.program}`, baseline.argument);
    try {
      const theirs = baselineLoad((child.ready as { port: number }).port);
      const clear = (): Promise<unknown> => baseline.clear?.(theirs.url) ?? Promise.resolve();
      const sides = [ourRate(bench, 'ours', system), rateOf(bench, baseline.against, theirs, clear)] as const;
      const [ours, other] = await alternate(sides, pace(bench).rounds, bench.say);
      const { against, target, floor } = baseline;
      const about = { what: 'durable accepted writes', unit: '/s', against, target, floor };
      const compared = comparedFinding(about, ours, other);
      if (baseline.cpuAtMost === undefined) return { findings: [compared], notes: [] };
      const cpu = await acceptCpu(bench, system, { atMost: baseline.cpuAtMost });
      return { findings: [compared, cpu], notes: [] };
    } finally {
      await child.kill();
    }
  });
}

/** CPU of all processes per accepted write, its announcement included: what decides how many a machine takes. */
async function acceptCpu(bench: Bench, system: System, target: Target): Promise<Finding> {
  const { rounds, roundMs } = pace(bench);
  const pids = systemProcesses(bench, system);
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (!bench.isQuick) await clearBacklog(system);
    const load = { ...acceptLoad(system), durationMs: roundMs };
    const { result, seconds } = await cpuOf(bench, pids, () => bench.load.run(load));
    figures.push((seconds * 1e6) / result.replies);
  }
  const about = { what: 'CPU of all processes per accept', unit: 'µs', against: 'itself', target };
  return ownFinding({ ...about, floor: '117 µs, a lean Express with the same durable rows' }, roundsOf(figures));
}
