import { join } from 'node:path';
import { createTopics } from '../create-topics';
import { migrateWithReport } from '../migrate-with-report';
import { recordProcess } from '../run-folder/process-records';
import { processNames } from '../service-ports';
import { createServiceProcesses } from '../service-processes';
import { serviceNames } from '../stack/stack-state';
import { startStack } from '../stack/stack';
import type { Footprint, FootprintOptions } from './footprint';
import { journalEnv } from './sandbox-journal';
import { serviceEnv } from './service-env';
import { createStopList } from './stop-list';

/**
 * The five services as processes of their own on Kafka, Redis and Postgres, with the sandbox as a sixth.
 * @throws DependencyError with the end of a service's log; nothing is left running then
 */
export async function startDistributed(options: FootprintOptions): Promise<Footprint> {
  const { env, folder, portBase, log } = options;
  const logs = join(folder, 'logs');
  const dataDir = join(folder, 'stack');
  const stops = createStopList();
  try {
    const stack = await startStack({ dataDir, want: serviceNames, env, log });
    stops.add(() => stack.stop());
    await migrateWithReport(stack.databaseUrl, log);
    await createTopics(stack.kafkaBrokers, log);
    const processes = createServiceProcesses({
      portBase,
      env: serviceEnv({ ...options, ...stack }),
      logDir: logs,
      onSpawn: (name, pid) => recordProcess(folder, name, pid),
    });
    stops.add(() => processes.stop());
    const begunAt = performance.now();
    await allOrFirstFailure(processNames.map((name) => processes.start(name, journalEnv(name, dataDir))));
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    log(`services: ${processNames.length} processes ready in ${seconds} s`);
    return { logs, stop: stops.run };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** Waits for all before it fails, so that nothing starts after the clean-up. */
async function allOrFirstFailure(starts: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
