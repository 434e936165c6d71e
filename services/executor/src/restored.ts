import {
  databaseAccess,
  defineEnv,
  postgresEnv,
  providersEnv,
  providerUrls,
  readProcessEnv,
  testingEnv,
} from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { DependencyError, SluiceError } from '@sluice/errors';
import { createStore, type Store } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { WritePlan } from '@sluice/types';
import { batchLimit, planCalls } from '@sluice/writes';

const env = defineEnv({
  ...postgresEnv,
  ...providersEnv,
  // A seal sets the deadlines of the records, as the batcher does.
  SLUICE_TIME_SCALE: testingEnv.SLUICE_TIME_SCALE,
});

/** Calls of one transaction. With 100 records each it has to end within the statement timeout (5 s), on a database that has read nothing yet. */
const callsPerStep = 50;
const batchesPerStep = 100;

/**
 * `npm run restored`, in an image `node dist/restored.js`: to be run once on a database that was restored from a backup, before the services start. A
 * create that the backup knows as unsent may have been sent since. So every create that is not settled is put in doubt, and the executor looks each
 * up at the provider before it sends. Order: 1. seal the open auto-batches of creates. 2. Put their calls and all others in doubt. Stopped at any
 * moment, it may be run again.
 */
async function restored(): Promise<void> {
  const config = env.read(readProcessEnv());
  const { databaseWaitMs: waitMs, timeScale, callTimeoutMs } = config;
  const store = createStore({
    ...databaseAccess(config),
    waitMs,
    timeScale,
    applicationName: 'sluice-restored',
    poolMax: 2,
  });
  const observed = { logger: silentLogger, metrics: createMetrics('restored') };
  const connectors = createConnectors({ urls: providerUrls(config), callTimeoutMs, ...observed });
  try {
    await store.assertMigrated();
    await refuseRunning(store);
    say(`${await sealBatches(store, connectors)} open auto-batches sealed`);
    say(`${await doubtAll(store, connectors)} calls of creates are to be looked for before they are sent`);
  } finally {
    await Promise.all([connectors.close(), store.close()]);
  }
}

async function refuseRunning({ writes }: Store): Promise<void> {
  const running = await writes.findServices();
  if (running.length === 0) return;
  throw new DependencyError({
    code: 'service.unavailable',
    detail: `Services are connected to this database: ${running.join(', ')}. What they send cannot be put in doubt.`,
    remedy: 'Stop them, then run this again.',
  });
}

async function sealBatches({ writes }: Store, connectors: ConnectorRegistry): Promise<number> {
  await writes.closeRestoredBatches();
  for (let sealed = 0; ;) {
    const due = await writes.findDueBatches(batchesPerStep);
    if (due.length === 0) return sealed;
    for (const key of due) {
      const sealing = await writes.seal(key, (records, { provider, type }) =>
        planCalls(records, { records: batchLimit(connectors.get(provider).capabilities, type) ?? 1 }),
      );
      if (sealing.kind === 'sealed') sealed += 1;
    }
  }
}

async function doubtAll({ writes }: Store, connectors: ConnectorRegistry): Promise<number> {
  let count = 0;
  type Cursor = Parameters<typeof writes.markRestoredCreatesInDoubt>[0]['after'];
  for (let after: Cursor; ;) {
    const { found, next } = await writes.markRestoredCreatesInDoubt(
      { ...(after && { after }), limit: callsPerStep },
      ({ provider, objectName, plan }) =>
        connectors.get(provider).fingerprint(objectName, (JSON.parse(plan) as WritePlan).fields),
    );
    count += found.length;
    if (next === undefined) return count;
    after = next;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

restored().catch((error: unknown) => {
  const text = error instanceof SluiceError ? [error.detail, error.remedy].filter(Boolean).join('\n') : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
