import { DefectError, SluiceError } from '@sluice/errors';
import {
  callId,
  type ReleasedCall,
  type Settled,
  type Settlement,
  type SettlingAnswer,
  type WriteStore,
} from '@sluice/store';
import { coalesce, sharedStatement } from './coalesce';

/** How long a known outcome is kept while the database is away, and how often storing it is tried. */
const keepMs = 60_000;
const retryEveryMs = 250;

/**
 * Settles, and goes on trying while the database does not reply: a provider's outcome must not be thrown away. A settlement
 * that has lost its fence meanwhile becomes evidence.
 * @throws DependencyError after a minute, DefectError when the database refuses this settlement
 */
export async function settlePersistently(
  settle: (settlement: Settlement) => Promise<SharedSettled>,
  settlement: Settlement,
): Promise<SharedSettled> {
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
export function settledOf(answer: SharedAnswer, settlement: Settlement): SharedSettled {
  if (answer instanceof SluiceError) throw answer;
  if (answer !== undefined) return answer;
  const detail = `The outcome of call ${callId(settlement)} cannot be stored.`;
  throw new DefectError({ code: 'service.defect', detail });
}

/** The result of one of several settlements that shared a transaction. */
export interface SharedSettled extends Settled {
  /** What they released together: the first that kept its lease has the list, the others have none, so that each call is announced once. */
  readonly released: readonly ReleasedCall[];
}

/** Undefined when the store's result lacks the settlement. */
type SharedAnswer = SharedSettled | SluiceError | undefined;

/**
 * Settles calls of one process together: those that end while a settlement runs share the next one. Those that wait for order keys are
 * settled apart, so that the others do not wait with them.
 * @returns the result of a settlement, or its error; undefined when the store's result lacks it
 */
export function sharingSettlements(
  writes: Pick<WriteStore, 'settle'>,
): (settlement: Settlement) => Promise<SharedAnswer> {
  const [ordered, unordered] = [sharing(writes), sharing(writes)];
  return (settlement) => (settlement.orderKeys.length > 0 ? ordered : unordered)(settlement);
}

function sharing(writes: Pick<WriteStore, 'settle'>): (settlement: Settlement) => Promise<SharedAnswer> {
  return coalesce<Settlement, SharedAnswer>({
    ...sharedStatement,
    run: async (settlements) => {
      const { answers, released } = await writes.settle(settlements);
      const announcer = settlements.find((settlement) => isHeld(answers.get(callId(settlement))));
      return settlements.map((settlement) => {
        const answer = answers.get(callId(settlement));
        if (answer === undefined || answer instanceof SluiceError) return answer;
        return { ...answer, released: settlement === announcer ? released : [] };
      });
    },
  });
}

function isHeld(answer: SettlingAnswer | undefined): boolean {
  return answer !== undefined && !(answer instanceof SluiceError) && answer.isHeld;
}
