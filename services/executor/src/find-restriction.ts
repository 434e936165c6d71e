import type { ClaimedCall } from '@sluice/store';
import type { ExecutorContext } from './context';
import { cancelled, reconnected, undeclared, uninstalled, type Ending } from './ended-records';

/**
 * Why a call that was accepted may not be sent any more; undefined: it may. Only what restricts is looked at: the plan stays as it was
 * accepted. The facts came with the claim, and the intent compares them once more. What was sent before is reconciled, whatever
 * changed. Deletes need no check: they are synchronous, so no executor sends one.
 */
export async function findRestriction(
  { installations }: Pick<ExecutorContext, 'installations'>,
  call: ClaimedCall,
): Promise<Ending | undefined> {
  const { projectId, revisionId, objectName } = call;
  if (call.isInDoubt) return undefined;
  if (call.isUninstalled === true || revisionId === undefined) return uninstalled;
  if (call.isCancelled) return cancelled;
  if (call.isReconnected) return reconnected;
  const isDeclared = await installations.declaresForWriting(projectId, revisionId, objectName);
  return isDeclared ? undefined : undeclared;
}
