import type { Settlement } from '@sluice/store';
import { asStep } from '@sluice/telemetry';
import { leaseMs, noteOutcome, reconcileCall } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { refresherOf, type Run } from './run';
import type { Sending } from './send-call';

/**
 * Finds out the outcome of a call in doubt. What a lookup shows about the account is used like what a send shows: a 429 blocks the
 * lane (one of the search alone: its searches), a token that is refused for good marks the connection. Every lookup counts against the quota, after what callers wait for.
 */
export async function reconcile(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold, lanes } = run;
  const { callTimeoutMs, timeScale } = context.config;
  const lookUp = () =>
    reconcileCall(context.store.writes, {
      call,
      records: sending.records,
      connector: sending.connector,
      live: sending.live,
      refresh: refresherOf(context, call),
      signal: hold.signal,
      takeQuota: (quota) => context.quotas.take(call, sending.connector, 'asynchronous', quota),
      senderMs: leaseMs + callTimeoutMs,
      timeScale,
    });
  const { operationId, number } = call;
  const { settlement, lookup } = await asStep('call.reconcile', { operationId, call: number }, lookUp);
  context.quotas.learn(call, lookup.quota);
  const failures = lookup.results.flatMap((result) => (result.ok ? [] : [result.error]));
  const ofSearch = failures.find(({ scope }) => scope === 'search');
  if (ofSearch !== undefined) await context.quotas.blockSearches(call, sending.connector, ofSearch.retryAfterMs);
  try {
    const blockedMs = await noteOutcome(context, call, lookup);
    context.meters.called({ projectId: call.projectId, provider: sending.live.provider }, { ...lookup, blockedMs });
    if (blockedMs > 0) lanes.sleep(call, blockedMs);
  } catch (error) {
    // What was found must be settled, whether or not the lane could be updated.
    context.logger.warn({ error, operationId }, 'call.outcome-not-noted');
  }
  context.logger.info({ operationId, call: number, next: settlement.next.state }, 'call.reconciled');
  return settlement;
}
