import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { redisConnection } from '../baselines/bullmq-connection';
import type { Bench, Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { withDatabase, type Database } from '../harness/database';
import { drained } from '../harness/drain';
import type { ServiceProcess } from '../harness/processes';
import type { System } from '../harness/system';
import { until } from '../harness/until';
import { asynchronous, writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Longer than the row takes: the calls are in flight when their executor dies. */
const providerMs = 25_000;
const writes = 64;
const inFlightMin = 8;

export const p15: Row = {
  id: 'P15',
  goal: 'in-flight calls claimed again after kill -9 of their executor, against BullMQ jobs',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const ours = await recover(bench, system);
      bench.say(`ours: ${ours.recoveryS.toFixed(1)} s for ${ours.calls} calls`);
      const theirs = bench.isQuick ? NaN : await recoverJob(bench);
      bench.say(`BullMQ: ${theirs.toFixed(1)} s`);
      const finding = {
        what: 'from kill -9 until the last call in flight is claimed by another executor',
        unit: 's',
        ours: ours.recoveryS,
        against: 'BullMQ job, default settings',
        baseline: theirs,
        judged: ours.recoveryS,
        judgedUnit: 's',
        target: { atMost: 10 },
      };
      return {
        findings: [finding],
        notes: [`P15: ${ours.calls} calls were in flight at the one that was killed; a second executor runs.`],
      };
    }),
};

interface Recovery {
  readonly recoveryS: number;
  readonly calls: number;
}

async function recover(bench: Bench, system: System): Promise<Recovery> {
  // What other rows of a quick run left would stand before the calls of this one.
  await withDatabase(system.databaseUrl, drained);
  await bench.provider.behave({ latencyMs: bench.isQuick ? 3_000 : providerMs });
  // A quick run's system has one already.
  for (let more = bench.isQuick ? 1 : 2; more > 0; more -= 1) await system.start('executor');
  const groups = Math.min(writes, system.project.customers);
  const load = { ...writeTarget(system), body: writeBody(asynchronous), groups, connections: 8, count: writes };
  await bench.load.run(load);
  return withDatabase(system.databaseUrl, async (database) => {
    const { victim, calls } = await until('calls are in flight', () => findVictim(database, system));
    const fences = new Map(calls.map((call) => [call.operation_id, Number(call.fence)]));
    await victim.kill('SIGKILL');
    const killedAtMs = performance.now();
    await until('every call was claimed again', async () => {
      const now = await database('calls')
        .whereIn('operation_id', [...fences.keys()])
        .select<Held[]>('operation_id', 'fence');
      return now.every(({ operation_id, fence }) => Number(fence) > (fences.get(operation_id) ?? 0));
    });
    const recoveryS = (performance.now() - killedAtMs) / 1000;
    await bench.provider.reset();
    return { recoveryS, calls: fences.size };
  });
}

/** The executor with the most calls in flight, when it has enough of them. */
async function findVictim(database: Database, system: System) {
  const executors = system.running().flatMap(([name, process]) => (name === 'executor' ? [process] : []));
  const held = await Promise.all(
    executors.map(async (victim) => ({ victim, calls: await inFlightOf(database, victim) })),
  );
  const [most] = held.sort((a, b) => b.calls.length - a.calls.length);
  return most !== undefined && most.calls.length >= inFlightMin ? most : undefined;
}

interface Held {
  readonly operation_id: string;
  /** Raised by each claim. Of 64 bits, so it comes as text. */
  readonly fence: string;
}

/** Calls that an executor has sent and holds. Its process number ends the name that it claims with. */
function inFlightOf(database: Database, executor: ServiceProcess): Promise<Held[]> {
  return database('calls')
    .where('state', 'running')
    .whereNotNull('sent_at')
    .andWhere('owner', 'like', `executor/%/${executor.pid}`)
    .select<Held[]>('operation_id', 'fence');
}

/** One job, two workers, kill -9 of the one that has it. @returns seconds until the other one starts it */
async function recoverJob({ addresses }: Bench): Promise<number> {
  const queue = `bench-stalled-${randomUUID()}`;
  const jobs = new Queue(queue, { connection: redisConnection(addresses.redisUrl) });
  const victim = await startChild('baselines/bullmq-stalled', { ...addresses, queue });
  try {
    await jobs.add('write', {});
    await victim.next();
    const heir = await startChild('baselines/bullmq-stalled', { ...addresses, queue });
    await victim.kill();
    const killedAtMs = performance.now();
    await heir.next();
    const recoveryS = (performance.now() - killedAtMs) / 1000;
    await heir.kill();
    return recoveryS;
  } finally {
    await victim.kill();
    await jobs.obliterate({ force: true });
    await jobs.close();
  }
}
