import type { ProviderFailure } from '@sluice/connectors';
import { SluiceError } from '@sluice/errors';
import { callId, type ClaimedCall } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { performCall, type Hold, type PerformedCall, type Sendable } from '@sluice/writes';
import type { GatewayContext } from './context';
import { allowedRefresh } from './refresh-allowed';
import type { ResolvedWrite, WriteCall } from './resolve-write';

/** One call of a synchronous write, under a lease. */
export interface Part {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly hold: Hold;
  /** Of the first one, whose intent is committed with its opening. Absent: a part of a call that was refused whole. */
  readonly live?: LiveCredentials;
}

/** A call that was made; without `used` and `attempt`, one that was withheld. */
export type MadeCall = Pick<PerformedCall, 'results' | 'parts' | 'sentFields' | 'calls'> &
  Partial<Pick<PerformedCall, 'used' | 'attempt'>>;

/** Makes one call, or returns why not. @throws DefectError when the connector breaks its contract */
export async function makeCall(
  context: GatewayContext,
  write: ResolvedWrite,
  request: WriteCall,
  part: Part,
): Promise<MadeCall> {
  const { call, records, hold } = part;
  const { connector } = write;
  const ready = part.live === undefined ? await prepare(context, write, part) : { ok: true as const, live: part.live };
  if (!ready.ok) return withheld(part, ready.failure);
  const refresh = allowedRefresh(context, request, call.projectId);
  const takeQuota = () => context.quotas.take(call, connector, 'synchronous');
  const made = await performCall({
    call,
    records,
    connector,
    live: ready.live,
    refresh,
    hold,
    held: request.held,
    takeQuota,
  });
  context.quotas.learn(call, made.quota);
  return made;
}

/** What its records end with that are not sent. */
export function withheld({ records }: Pick<Part, 'records'>, error: ProviderFailure): MadeCall {
  const results = records.map(() => ({ ok: false, error }) as const);
  return { results, parts: [], sentFields: records.map(() => undefined), calls: 0 };
}

/** What a part ends with that may not be sent any more. */
export const notSent: ProviderFailure = {
  class: 'unavailable',
  message:
    'Not sent: the batch was refused for another record, and what it relied on changed before the rest could go.',
  scope: 'call',
};

type Ready =
  { readonly ok: true; readonly live: LiveCredentials } | { readonly ok: false; readonly failure: ProviderFailure };

/** Credentials, quota, then the intent: no row, no send. */
async function prepare(context: GatewayContext, write: ResolvedWrite, part: Part): Promise<Ready> {
  const { call, records, hold } = part;
  try {
    const live = await context.installations.liveCredentials(call.projectId, call.connectionId);
    const quota = await context.quotas.take(call, write.connector, 'synchronous');
    if (!quota.granted) return { ok: false, failure: outOfQuota(quota.retryAfterMs) };
    const { revisionId } = write.operation.pins;
    const intent = { ...call, owner: context.owner, revisionId, records: records.map(({ index }) => ({ index })) };
    const isIntended = hold.mayStillSend() && (await context.store.writes.recordIntents([intent])).has(callId(call));
    return isIntended ? { ok: true, live } : { ok: false, failure: notSent };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    context.logger.warn({ error, operationId: call.operationId, call: call.number }, 'write.part-not-sent');
    return { ok: false, failure: notSent };
  }
}

function outOfQuota(retryAfterMs: number): ProviderFailure {
  const message = "Not sent: the customer's provider quota is used up.";
  return { class: 'quota', message, scope: 'call', retryAfterMs };
}
