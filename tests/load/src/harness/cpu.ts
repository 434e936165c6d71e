import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './bench';
import { cpuSeconds, listenerOf } from './process-usage';
import type { System } from './system';

/** A write is announced within this long of its acceptance; its cost is ours too. Source: libs/messaging, the announcement buffer. */
const announcedWithinMs = 1_200;
const stepMs = 500;
/** Share of a core below which processes that have no work count as resting. */
const restingShare = 0.2;
const restMaxMs = 15_000;

/** What a write passes: our services, Postgres, Redis and Kafka. Not the load generator, not the provider. */
export function systemProcesses(bench: Bench, system: System): number[] {
  return namedProcesses(bench, system).map(([, pid]) => pid);
}

/** The same with their names. */
export function namedProcesses(bench: Bench, system: System): (readonly [name: string, pid: number])[] {
  const [postgres, redis, kafka] = stackProcesses(bench);
  const services = system.running().map(([name, { pid }]) => [name, pid] as const);
  return [...services, ['Postgres', postgres], ['Redis', redis], ['Kafka', kafka]];
}

/** Postgres, Redis and Kafka, which both sides may use. */
export function stackProcesses({ addresses }: Bench): [postgres: number, redis: number, kafka: number] {
  const broker = addresses.kafkaBrokers.split(',')[0] ?? '';
  const ports = [new URL(addresses.databaseUrl).port, new URL(addresses.redisUrl).port, broker.split(':')[1] ?? ''];
  const [postgres = 0, redis = 0, kafka = 0] = ports.map((port) => listenerOf(Number(port)));
  return [postgres, redis, kafka];
}

/**
 * Work, and the CPU it took of these processes until they rest again: what is announced, swept or vacuumed because of it counts.
 * A quick run does not wait.
 * @returns seconds
 */
export async function cpuOf<Result>(
  { isQuick }: Pick<Bench, 'isQuick'>,
  pids: readonly number[],
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly seconds: number }> {
  const before = cpuSeconds(pids);
  const result = await work();
  if (!isQuick) await untilResting(pids);
  return { result, seconds: cpuSeconds(pids) - before };
}

async function untilResting(pids: readonly number[]): Promise<void> {
  await sleep(announcedWithinMs);
  const endsAtMs = performance.now() + restMaxMs;
  let used = cpuSeconds(pids);
  while (performance.now() < endsAtMs) {
    await sleep(stepMs);
    const now = cpuSeconds(pids);
    if (now - used < (restingShare * stepMs) / 1000) return;
    used = now;
  }
}
