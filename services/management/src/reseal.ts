import { databaseAccess, readProcessEnv } from '@sluice/config';
import { SluiceError } from '@sluice/errors';
import { resealSecrets, type ResealProgress } from '@sluice/installations';
import { createStore } from '@sluice/store';
import { managementEnv } from './config';

/**
 * `npm run reseal`, in an image `node dist/reseal.js`: seals what an older key of the ring sealed again with the current one,
 * while the services run. Takes the settings of management. Exit code 0 only when nothing is left under another key.
 */
async function reseal(): Promise<number> {
  const config = managementEnv.read(readProcessEnv());
  const { databaseWaitMs: waitMs, credentialsKeys: keyring } = config;
  const store = createStore({ ...databaseAccess(config), waitMs, applicationName: 'reseal', poolMax: 2 });
  try {
    await store.assertMigrated();
    // The last batch is in the summary.
    const onProgress = (progress: ResealProgress): void => {
      if (progress.left > progress.unreadable.length) say(progress);
    };
    const summaries = await resealSecrets({ store, keyring, onProgress });
    for (const summary of summaries) {
      say(summary);
      for (const { id, reason } of summary.unreadable) process.stderr.write(`${summary.noun} ${id}: ${reason}\n`);
    }
    return summaries.every(({ left }) => left === 0) ? 0 : 1;
  } finally {
    await store.close();
  }
}

function say({ noun, resealed, overtaken, unreadable, left }: ResealProgress): void {
  const counts = `${resealed} sealed again, ${overtaken} changed meanwhile, ${unreadable.length} unreadable, ${left} left`;
  process.stdout.write(`${noun}s: ${counts}\n`);
}

reseal().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof SluiceError ? error.detail : String(error)}\n`);
    process.exitCode = 1;
  },
);
