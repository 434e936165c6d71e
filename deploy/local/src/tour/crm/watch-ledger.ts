import type { LedgerEntry } from '@sluice/sandbox';
import type { SandboxClient } from '../../clients/sandbox-client';

/**
 * Watches what is called from `openedAt` on. By number, not by time: two calls may arrive in one millisecond. The auto-batches of the
 * tour may leave meanwhile, and are left out.
 */
export async function watchLedger(
  sandbox: SandboxClient,
  openedAt: Date,
): Promise<() => Promise<readonly LedgerEntry[]>> {
  const last = (await sandbox.ledgerSince(openedAt)).at(-1)?.seq ?? 0;
  return async () => {
    const calls = await sandbox.ledgerSince(openedAt);
    return calls.filter((call) => call.seq > last && !isAutoBatch(call));
  };
}

/** Batches of the tour's own are smaller. */
function isAutoBatch({ action, records }: LedgerEntry): boolean {
  return action === 'batch-create' && records >= 50;
}
