import { fillBacklog } from '@sluice/testkit';
import type { ProcessName } from '@sluice/local';
import type { Bench, Row } from '../harness/bench';
import type { Finding } from '../harness/finding';
import { ownerOf } from '../harness/owner-of';
import { residentMegabytes } from '../harness/process-usage';
import type { ServiceProcess } from '../harness/processes';
import type { System } from '../harness/system';
import { asynchronous, autoBatched, writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

const backlogCalls = 1_000_000;
const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'] as const;
/** The same light load both times, so that what differs is the backlog. */
const writesPerSecond = 200;
const loadMs = 30_000;

export const p17: Row = {
  id: 'P17',
  goal: 'resident memory of each service with 1 M waiting calls, against none',
  measure: (bench) =>
    // A million waiting is where a project's next write is refused.
    bench.withSystem({ services: [], env: { SLUICE_BACKLOG_MAX: '2000000' } }, async (system) => {
      await bench.provider.behave({ latencyMs: 20 });
      const empty = await underLoad(bench, system);
      const calls = bench.isQuick ? 200 : backlogCalls;
      bench.say(`filling ${calls.toLocaleString('en-US')} calls`);
      await fillBacklog(system.databaseUrl, await ownerOf(system, 0), { calls, lanes: 100, type: 'create' });
      const full = await underLoad(bench, system);
      await bench.provider.reset();
      return { findings: services.flatMap((name) => compare(name, full, empty)), notes: [note] };
    }),
};

/** What the images set for each service (docker/Dockerfile): memory is what they are chosen for. */
const nodeOptions = (name: ProcessName): string =>
  `--expose-gc --max-semi-space-size=${name === 'write-gateway' ? 16 : 2}${name === 'executor' ? ' --max-old-space-size=320' : ''}`;

const note = `P17: fresh processes each time, with the settings of the images (docker/README.md), ${writesPerSecond} writes/s for ${loadMs / 1000} s (half of them auto-batched), measured at its end; the executor works on the backlog meanwhile.`;

type Memory = ReadonlyMap<ProcessName, number>;

function compare(name: ProcessName, full: Memory, empty: Memory): Finding[] {
  const [ours, baseline] = [full.get(name) ?? NaN, empty.get(name) ?? NaN];
  const shared = { unit: 'MB', against: 'no backlog', ours, baseline, judgedUnit: 'MB' };
  return [
    { ...shared, what: `${name}, memory added`, judged: ours - baseline, target: { atMost: 20 } },
    { ...shared, what: `${name}, memory in all`, judged: ours, target: { atMost: 200 } },
  ];
}

async function underLoad(bench: Bench, system: System): Promise<Memory> {
  // In a quick run the system that all rows share is measured as it is.
  const own = bench.isQuick ? [] : await startAll(system);
  const writing = own.find(([name]) => name === 'write-gateway')?.[1] ?? system.service('write-gateway');
  for (const members of [asynchronous, autoBatched]) {
    await bench.load.run({
      ...writeTarget(system, writing.url),
      body: writeBody(members),
      groups: system.project.customers,
      connections: 16,
      perSecond: writesPerSecond,
      durationMs: bench.isQuick ? 100 : loadMs / 2,
    });
  }
  const measured = bench.isQuick ? system.running() : own;
  const memory = new Map(measured.map(([name, { pid }]) => [name, residentMegabytes(pid)]));
  await Promise.all(own.map(([, service]) => service.kill('SIGTERM')));
  return memory;
}

async function startAll(system: System): Promise<[ProcessName, ServiceProcess][]> {
  return Promise.all(
    services.map(async (name): Promise<[ProcessName, ServiceProcess]> => {
      return [name, await system.start(name, { NODE_OPTIONS: nodeOptions(name) })];
    }),
  );
}
