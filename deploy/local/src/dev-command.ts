import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createTopics } from './create-topics';
import { createPrinter } from './dev/prefixed-output';
import { openDevFolder, type DevFolder } from './dev/dev-folder';
import { seedWhenReady } from './dev/seed-when-ready';
import { watchCompiler } from './dev/watch-compiler';
import { inspectorPortOf, startWatchedService } from './dev/watched-service';
import { journalEnv } from './footprints/sandbox-journal';
import { serviceEnv } from './footprints/service-env';
import { createStopList, type StopList } from './footprints/stop-list';
import { openLocalSecrets } from './local-secrets';
import { readLocalSettings, type LocalSettings } from './local-settings';
import { migrateWithReport } from './migrate-with-report';
import { processNames, type ProcessName } from './service-ports';
import type { Log } from './stack/log';
import { startStack } from './stack/stack';
import { serviceNames } from './stack/stack-state';
import { Interrupted, listenForStop, untilStopped } from './stop-signal';

const usage = `npm run dev [-- --only <service>]
  Runs the five services and the sandbox as processes on Kafka, Redis and Postgres, compiles what changes and starts
  again what it concerns. Services: ${processNames.join(', ')}.
  --only <service>  this one alone, with an inspector port; others stay as they are, running from an earlier npm run dev
                    or not
`;

/** `npm run dev`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const only = parse(args);
  if (only === 'wrong') {
    process.stderr.write(usage);
    return 2;
  }
  const settings = readLocalSettings(readProcessEnv());
  const log = createPrinter('dev');
  const stop = listenForStop();
  const claim = await openDevFolder(settings, only, log);
  stop.addEventListener('abort', claim.markStopping, { once: true });
  const stops = createStopList();
  try {
    await startAll({ settings, claim, only, log, stop, stops });
    await untilStopped(stop);
    log('stopping');
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    throw error;
  } finally {
    claim.markStopping();
    await stops.run();
    claim.release();
  }
}

interface DevRun {
  readonly settings: LocalSettings;
  readonly claim: DevFolder;
  readonly only: ProcessName | undefined;
  readonly log: Log;
  readonly stop: AbortSignal;
  readonly stops: StopList;
}

async function startAll({ settings, claim, only, log, stop, stops }: DevRun): Promise<void> {
  const { env, portBase } = settings;
  const { folder } = claim;
  const dataDir = join(folder, 'stack');
  const stack = await startStack({ dataDir, want: serviceNames, env, log });
  stops.add(() => stack.stop());
  await migrateWithReport(stack.databaseUrl, log);
  await createTopics(stack.kafkaBrokers, log);
  stop.throwIfAborted();
  const secrets = openLocalSecrets(folder, env);
  const forAll = serviceEnv({ env, portBase, secrets, withSandbox: true, ...stack });
  if (!claim.isCompiled) stops.add(watchCompiler(folder, forAll));
  const ends = (only === undefined ? processNames : [only]).map((name) => {
    const ownEnv = { ...forAll, ...journalEnv(name, dataDir) };
    return startWatchedService(name, { folder, portBase, env: ownEnv, withInspector: only !== undefined });
  });
  stops.add(async () => void (await Promise.all(ends.map((end) => end()))));
  if (only === undefined) await seedWhenReady({ folder, portBase, secrets, stop, log });
  else log(`${only}: inspector on 127.0.0.1:${inspectorPortOf(only)}; the other services are left as they are`);
}

function parse(args: readonly string[]): ProcessName | undefined | 'wrong' {
  const [option, name, ...more] = args;
  if (option === undefined) return undefined;
  const found = processNames.find((known) => known === name);
  return option === '--only' && found !== undefined && more.length === 0 ? found : 'wrong';
}
