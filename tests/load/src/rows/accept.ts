import { perSecond, type LoadSpec } from '../harness/generate-load';
import { alternate } from '../harness/alternate';
import { pace, type Bench, type Measured } from '../harness/bench';
import { startChild } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { ratioFinding, type Target } from '../harness/finding';
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
  /** Called on the baseline before each of its rounds. */
  readonly clear?: (url: string) => Promise<unknown>;
}

/** P1 to P4: what one gateway accepts durably, and what one process of the baseline takes. */
export async function compareAccept(bench: Bench, baseline: AcceptBaseline): Promise<Measured> {
  return bench.withSystem({ services: ['write-gateway'] }, async (system) => {
    const child = await startChild(`baselines/${baseline.program}`, baseline.argument);
    try {
      const theirs = baselineLoad((child.ready as { port: number }).port);
      const sides = [
        ourRate(bench, 'ours', system),
        rateOf(bench, baseline.against, theirs, () => baseline.clear?.(theirs.url) ?? Promise.resolve()),
      ];
      const [ours, other] = await alternate(sides, pace(bench).rounds, bench.say);
      const finding = ratioFinding({
        what: 'durable accepted writes',
        unit: '/s',
        ours: ours?.median ?? NaN,
        against: baseline.against,
        baseline: other?.median ?? NaN,
        target: baseline.target,
        rounds: { ours: ours?.figures ?? [], baseline: other?.figures ?? [] },
      });
      return { findings: [finding], notes: [] };
    } finally {
      await child.kill();
    }
  });
}
