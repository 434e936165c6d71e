import { createWriteStream, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSandbox } from '@sluice/sandbox';
import { givenUrls, startStack } from '@sluice/stack';
import { createLogger, flushTraces } from '@sluice/telemetry';
import { createEmbeddedServices } from './embedded-services';
import { createStopList, type Footprint, type FootprintOptions } from './footprint';
import { sandboxJournal, serviceEnv } from './service-env';
import { migrateWithReport } from '../prepare-stack';
import { servicePorts } from '../service-ports';

// oxlint-disable-next-line import/no-unassigned-import -- what `node --require` does for a process of its own
import '@sluice/telemetry/register';

/** Never connected to: the services' tables ask for them, the launcher injects what is inside the process. */
const insideTheProcess = { kafkaBrokers: 'in-process:1', redisUrl: 'redis://in-process' };

/**
 * Everything in this process but Postgres, which outlives a `kill -9` and is taken over by the next start.
 * @throws DependencyError, ListenError; nothing is left running then
 */
export async function startEmbedded(options: FootprintOptions): Promise<Footprint> {
  const { env, folder, portBase, logLevel, withSandbox, log } = options;
  const logs = join(folder, 'logs', 'embedded.log');
  const stops = createStopList();
  stops.add(flushTraces);
  try {
    const stack = await startStack({ dataDir: folder, want: ['postgres'], env, log });
    stops.add(() => stack.stop());
    const logFile = openLogFile(logs);
    stops.add(() => logFile.close());
    const { databaseUrl } = stack;
    // A database of this folder has no other services, so one of 0.2.0 is taken over without asking.
    await migrateWithReport(databaseUrl, log, givenUrls(env).postgres === undefined);
    if (withSandbox) {
      const logger = createLogger({ service: 'sandbox', level: logLevel, destination: logFile.stream });
      const where = { port: portBase + servicePorts.sandbox, host: '127.0.0.1' };
      const sandbox = await createSandbox({ ...where, logger, ledgerFile: sandboxJournal(folder) });
      stops.add(() => sandbox.close());
    }
    const forAll = serviceEnv({ ...options, ...insideTheProcess, databaseUrl });
    const services = createEmbeddedServices({ portBase, env: forAll, logLevel, logStream: logFile.stream });
    for (const service of services) {
      stops.add(() => service.stop());
      await service.start();
    }
    return { logs, stop: stops.run };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** A log is begun anew when it has grown past this. */
const bytesMax = 20 * 1024 * 1024;

/** Opens a log for appending; its folder is made. */
function openLogFile(file: string): { readonly stream: WriteStream; close(): Promise<void> } {
  mkdirSync(dirname(file), { recursive: true });
  const isTooLong = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > bytesMax;
  const stream = createWriteStream(file, { flags: isTooLong ? 'w' : 'a', mode: 0o600 });
  return { stream, close: () => new Promise((resolve) => stream.end(() => resolve())) };
}
