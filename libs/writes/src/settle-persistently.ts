import { DefectError, SluiceError } from '@sluice/errors';
import { callId, type Settled, type Settlement, type SettlingAnswer, type WriteStore } from '@sluice/store';
import { coalesce } from './coalesce';

/** How long a known outcome is kept while the database is away, and how often it is offered. */
const keepMs = 60_000;
const offerEveryMs = 250;

/**
 * Settles, and goes on trying while the database does not answer: what a provider said must not be thrown away. A settlement
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
      await new Promise((resolve) => setTimeout(resolve, offerEveryMs));
    }
  }
}

/** @throws SluiceError the one that the store answered; DefectError when it left the settlement out of its answer */
export function settledOf(answer: SettlingAnswer | undefined, settlement: Settlement): Settled {
  if (answer instanceof SluiceError) throw answer;
  if (answer !== undefined) return answer;
  const detail = `The outcome of call ${callId(settlement)} cannot be stored.`;
  throw new DefectError({ code: 'service.defect', detail });
}

/** Calls of one settling statement. */
const callsPerSettlement = 64;

/**
 * Settles calls of one process together: those that end while a settlement is under way share the next one. Those that wait for order
 * keys keep to themselves, so that nobody waits with them who needs not.
 * @returns what became of a settlement; the error that kept it from that; undefined when the store does not say
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
        // What the transaction released is the same for all: one of them announces it.
        return at > 0 ? { ...answer, released: [] } : answer;
      });
    },
    itemsMax: callsPerSettlement,
    runsMax: 2,
  });
}
