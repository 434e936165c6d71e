import { openDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import type { OwnStack } from '../../harness/stack';

/** Crashes after which a call is taken out. Source: ADR 23. */
const crashesMax = 4;

/**
 * Lets an executor die over each claim until the call that `write` makes has taken down four of them, then starts one that lives. The end of
 * each lease is moved to now, so that nobody waits for it.
 */
export async function crashExecutorsOver(
  stack: OwnStack,
  databaseUrl: string,
  write: () => Promise<void>,
): Promise<void> {
  const { processes } = stack;
  const database = openDatabase({ url: databaseUrl, applicationName: 'test', poolMax: 1 });
  try {
    await processes.kill('executor', 'SIGTERM');
    await write();
    for (let crashes = 1; crashes <= crashesMax; crashes += 1) {
      // It may die before it is ready.
      await processes.start('executor', { SLUICE_FAILPOINT: 'ex.after_claim:exit9' }).catch(() => undefined);
      await until(
        'the executor dies of its claim',
        () => (isAlive(processes.pid('executor')) ? undefined : true),
        120_000,
      );
      await database.raw(`update calls set lease_until = now() where state = 'running'`);
    }
    await processes.start('executor');
  } finally {
    await database.destroy();
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
