import type { BatchDryRunReply, DryRunReply } from '@sluice/types';
import type { PlannedWrite } from '@sluice/writes';
import type { GatewayContext } from './context';
import { resolveWrite, type WriteCall } from './resolve-write';

/**
 * Answers `?dryRun=true`: every rule that a write is checked by before it is stored, and the decision per field. Nothing is
 * stored, no quota is taken, the provider is not called.
 */
export function planPresenter(context: GatewayContext): (call: WriteCall) => Promise<DryRunReply | BatchDryRunReply> {
  return async (call) => {
    // No accept compares afterwards what the plan was made from: read as it is now.
    const write = resolveWrite(context, call, await context.installations.resolveAgain(call.names));
    const plans = write.planned.map(toReply);
    return write.isBatch ? { plans } : (plans[0] ?? { plan: [] });
  };
}

function toReply({ plan, decisions }: PlannedWrite): DryRunReply {
  return { plan: decisions, ...(plan.associations?.length ? { associations: plan.associations } : {}) };
}
