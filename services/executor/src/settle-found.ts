import { SluiceError } from '@sluice/errors';
import type { Settled, Settlement } from '@sluice/store';
import type { ExecutorContext } from './context';

/** Settles what a sweep found. What fails while others are settled keeps its lease until that lapses, and is found again. */
export async function settleFound(
  { store, logger }: Pick<ExecutorContext, 'store' | 'logger'>,
  settlements: readonly Settlement[],
): Promise<Map<string, Settled>> {
  const settled = new Map<string, Settled>();
  for (const [call, answer] of await store.writes.settle(settlements)) {
    if (answer instanceof SluiceError) logger.warn({ error: answer, call }, 'call.not-settled');
    else settled.set(call, answer);
  }
  return settled;
}
