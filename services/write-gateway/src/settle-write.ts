import { topics } from '@sluice/messaging';
import type { CallKey, Settlement } from '@sluice/store';
import { asStep } from '@sluice/telemetry';
import { noteOutcome, settledOf, settlePersistently } from '@sluice/writes';
import { announceReleased } from './announce-calls';
import type { GatewayContext } from './context';
import type { MadeCall } from './make-call';

/** The calls that a split opened, and the monotonic moment from before it was offered: their leases count from there. */
export interface SettledWrite {
  readonly parts: readonly CallKey[];
  readonly offeredAtMs: number;
}

/**
 * Stores the outcome of one synchronous call, and keeps trying while the database is away. Never rejects: when it cannot be
 * stored, the lease lapses and an executor finds out what happened.
 */
export async function settleWrite(
  context: GatewayContext,
  settlement: Settlement,
  made: MadeCall,
  provider: string,
): Promise<SettledWrite> {
  const { operationId } = settlement;
  let offeredAtMs = performance.now();
  await note(context, settlement, made, provider);
  try {
    const store = () =>
      settlePersistently(async (each) => {
        offeredAtMs = performance.now();
        return settledOf(await context.settle(each), each);
      }, settlement);
    const settled = await asStep('call.settle', { operationId, call: settlement.number }, store);
    // Nobody waits for a later try, so a failure is no missed deadline.
    if (settled.isHeld) context.meters.settled(settlement.records, { provider, isRetried: false });
    else context.logger.warn({ operationId }, 'write.settled-late');
    announceReleased(context.messaging.announcer(topics.ready), settled.released);
    return { parts: settled.parts ?? [], offeredAtMs };
  } catch (error) {
    context.logger.error({ error, operationId }, 'write.not-settled');
    return { parts: [], offeredAtMs };
  }
}

async function note(
  context: GatewayContext,
  settlement: Settlement,
  { used, results, calls }: MadeCall,
  provider: string,
): Promise<void> {
  if (used === undefined) return;
  try {
    context.meters.blocked(provider, await noteOutcome(context.store, settlement, { used, results, calls }));
  } catch (error) {
    context.logger.warn({ error, operationId: settlement.operationId }, 'write.outcome-not-noted');
  }
}
