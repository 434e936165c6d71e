import { SluiceError } from '@sluice/errors';
import { callId, type Settlement, type SettlingAnswer, type WriteStore } from '@sluice/store';
import { coalesce } from './coalesce';

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
