import { DefectError, SluiceError } from '@sluice/errors';
import { callId, type Settled, type Settlement, type SettlingAnswer, type WriteStore } from '@sluice/store';
import { coalesce, statementGatherMs } from './coalesce';

/** How long a known outcome is kept while the database is away, and how often storing it is tried. */
const keepMs = 60_000;
const retryEveryMs = 250;

/**
 * Settles, and goes on trying while the database does not reply: a provider's outcome must not be thrown away. A settlement
 * that has lost its fence meanwhile becomes evidence.
 * @throws DependencyError after a minute, DefectError when the database refuses this settlement
 */
export async function settlePersistently(
  settle: (settlement: Settlement) => Promise<Settled>,
  settlement: Settlement,
): Promise<Settled> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      return await settle(settlement);
    } catch (error) {
      const isWorthIt = error instanceof SluiceError && error.retry === 'backoff';
      if (!isWorthIt || performance.now() - startedAtMs > keepMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
  }
}

/** @throws SluiceError the one that the store returned; DefectError when its result lacks the settlement */
export function settledOf(answer: SettlingAnswer | undefined, settlement: Settlement): Settled {
  if (answer instanceof SluiceError) throw answer;
  if (answer !== undefined) return answer;
  const detail = `The outcome of call ${callId(settlement)} cannot be stored.`;
  throw new DefectError({ code: 'service.defect', detail });
}

/** Calls of one settling statement. */
const callsPerSettlement = 64;

/**
 * Settles calls of one process together: those that end while a settlement runs share the next one. Those that wait for order keys are
 * settled apart, so that the others do not wait with them.
 * @returns the result of a settlement, or its error; undefined when the store's result lacks it
 */
export function sharingSettlements(
  writes: Pick<WriteStore, 'settle'>,
): (settlement: Settlement) => Promise<SettlingAnswer | undefined> {
  const [ordered, unordered] = [sharing(writes), sharing(writes)];
  return (settlement) => (settlement.orderKeys.length > 0 ? ordered : unordered)(settlement);
}

function sharing(writes: Pick<WriteStore, 'settle'>): (settlement: Settlement) => Promise<SettlingAnswer | undefined> {
  return coalesce<Settlement, SettlingAnswer | undefined>({
    run: async (settlements) => {
      const answers = await writes.settle(settlements);
      return settlements.map((settlement, at) => {
        const answer = answers.get(callId(settlement));
        if (answer === undefined || answer instanceof SluiceError) return answer;
        // The keys that the transaction released are the same for all: one of them announces them.
        return at > 0 ? { ...answer, released: [] } : answer;
      });
    },
    itemsMax: callsPerSettlement,
    runsMax: 2,
    gatherMs: statementGatherMs,
  });
}
