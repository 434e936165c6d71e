import { DefectError, SluiceError } from '@sluice/errors';
import { callId, type Settled, type Settlement, type SettlingAnswer } from '@sluice/store';

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
