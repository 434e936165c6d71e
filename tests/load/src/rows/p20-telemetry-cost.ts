import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild, type Child } from '../harness/child';
import { comparedFinding } from '../harness/finding';
import { until } from '../harness/until';
import { acceptLoad, ourRate } from './accept';

interface Taken {
  readonly requests: number;
  readonly bytes: number;
}

export const p20: Row = {
  id: 'P20',
  goal: 'durable accepted writes/s with traces at the default setting, against none',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const sink = await startChild('processes/trace-sink', {});
      const { port } = sink.ready as { port: number };
      const traced = await system.start('write-gateway', {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        // Of the few requests of a quick run one in a hundred may be none.
        ...(bench.isQuick && { OTEL_TRACES_SAMPLER_ARG: '1' }),
      });
      try {
        const sides = [
          ourRate(bench, 'traces on', system, acceptLoad(system, traced.url)),
          ourRate(bench, 'off', system),
        ] as const;
        const compared = await alternate(sides, pace(bench).rounds, bench.say);
        const about = {
          what: 'durable accepted writes, traces on',
          unit: '/s',
          against: 'traces off',
          target: { atLeast: 0.85 },
        };
        return { findings: [comparedFinding(about, ...compared)], notes: [await noteOf(sink)] };
      } finally {
        await Promise.all([traced.kill('SIGKILL'), sink.kill()]);
      }
    }),
};

/** @throws when nothing arrives at the collector: then both sides were without traces */
async function noteOf(sink: Child): Promise<string> {
  let taken: Taken = { requests: 0, bytes: 0 };
  await until('traces have arrived', async () => (taken = await sink.ask<Taken>({})).requests > 0);
  const kilobytes = Math.round(taken.bytes / 1024);
  return `P20: a gateway of its own for each side, on one database; default sampling. The collector got ${taken.requests} requests, ${kilobytes} kB.`;
}
