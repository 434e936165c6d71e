import type { Fields, ProviderFailure, RecordResult } from '@sluice/connectors';
import { DefectError, ForbiddenError, ProviderError, SluiceError } from '@sluice/errors';
import { announce } from '@sluice/messaging';
import { callId, type CallKey, type ClaimedCall, type KeyEnding } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import {
  leaseMs,
  noteOutcome,
  outOfQuota,
  performAndLearn,
  settleAndReport,
  settleSynchronous,
  type Hold,
  type PerformedCall,
  type RefreshUsed,
  type Reporting,
  type Sendable,
  type StoredSettlement,
} from '@sluice/writes';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayContext } from './context';
import { endingOf } from './idempotency';
import type { EndedWrite } from './present-write';
import { assertDeletable, type ResolvedWrite, type WriteCall } from './resolve-write';

/** Longest time a reply waits for its settlements; usually a millisecond. */
const replyWithoutSettlementMs = 1_000;

/** A synchronous write whose operation is open: its call runs under our lease, and its intent is committed. */
export interface Opened {
  readonly kind: 'opened';
  readonly operationId: string;
  /** `performance.now()` when committing began. */
  readonly startedAtMs: number;
  readonly write: ResolvedWrite;
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly openedAtMs: number;
  readonly queuedBehind: readonly string[];
  readonly incoming: WriteCall;
  /** Opens the credentials that the opening confirmed. @throws DefectError */
  readonly live: () => LiveCredentials;
}

/** One call of a synchronous write, under a lease. */
interface Part {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly hold: Hold;
  /** Of the first one, whose intent is committed with its opening. Absent: a part of a call that was refused whole. */
  readonly live?: LiveCredentials;
}

/** A call that was made; without `used` and `attempt`, one that was withheld. */
type MadeCall = Pick<PerformedCall, 'results' | 'parts' | 'sentFields' | 'calls'> &
  Partial<Pick<PerformedCall, 'used' | 'attempt'>>;

interface Sending {
  readonly context: GatewayContext;
  readonly opened: Opened;
  /** By the index of the record. */
  readonly outcomes: Map<number, { readonly result: RecordResult; readonly sent: Fields | undefined }>;
  /** Calls still to make, in the order of their records. */
  readonly parts: Part[];
  readonly settling: Promise<unknown>[];
  readonly reporting: Reporting;
}

/**
 * Sends an opened write. A call that the provider refuses whole for what may be one record is settled as its parts. They run at once under leases of
 * this process and are sent one after the other, each with an intent of its own. What ends the sending (a blocked account, refused credentials, spent
 * quota, a lost lease) is the outcome of the records that were not sent yet. The reply has them all.
 */
export async function sendOpened(context: GatewayContext, opened: Opened): Promise<EndedWrite> {
  const { call, records, write } = opened;
  const ready = readCredentials(opened);
  const first: Part = { call, records, ...ready, hold: await context.leases.holdRenewed(call, opened.openedAtMs) };
  const { provider, groupRef } = write.installation;
  // Nobody waits for a later try, so a failure is no missed deadline. The metrics count the operations that succeed.
  const how = { isRetried: false, lateEvent: 'write.settled-late', logsSuccess: false };
  const reporting = { provider, groupRef, sent: records, ...how };
  const sending: Sending = { context, opened, outcomes: new Map(), parts: [first], settling: [], reporting };
  let stop = ready.defect === undefined ? undefined : notReadable;
  for (let part = sending.parts.shift(); part !== undefined; part = sending.parts.shift()) {
    const made: MadeCall = stop === undefined ? await makeCall(sending, part) : withheld(part, stop);
    stop ??= stopOf(made);
    keepOutcomes(sending, part.records, made);
    if (made.parts.length > 0) sending.parts.unshift(...(await settleRefused(sending, part, made)));
    else settleEnded(sending, part, made);
  }
  // The provider's answers are known and are the reply. Storing them continues, under the leases, while the database is away.
  await Promise.race([Promise.all(sending.settling), sleep(replyWithoutSettlementMs, undefined, { ref: false })]);
  if (ready.defect !== undefined) throw ready.defect;
  return toEnded(sending);
}

/** Credentials that cannot be opened end the write as not sent, so that no executor has to look it up; the caller gets the defect. */
function readCredentials({ live }: Opened): { readonly live?: LiveCredentials; readonly defect?: DefectError } {
  try {
    return { live: live() };
  } catch (error) {
    if (error instanceof DefectError) return { defect: error };
    throw error;
  }
}

const notReadable: ProviderFailure = {
  class: 'unavailable',
  message: 'Not sent: the stored credentials of the connection cannot be opened.',
  scope: 'call',
};

/** What will meet every further call as well, or was the reason not to make this one. */
function stopOf({ results, calls, parts }: MadeCall): ProviderFailure | undefined {
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  const isWithheld = calls === 0 && parts.length === 0;
  return failures.find((failure) => isWithheld || failure.scope === 'lane' || failure.class === 'credentials');
}

function keepOutcomes({ outcomes }: Sending, records: readonly Sendable[], made: MadeCall): void {
  for (const [at, { index }] of records.entries()) {
    outcomes.set(index, { result: made.results[at] as RecordResult, sent: made.sentFields[at] });
  }
}

/** Not awaited before the next call. The last one also ends the idempotency key, because only then the reply is known. */
function settleEnded(sending: Sending, part: Part, made: MadeCall): void {
  const ending = sending.parts.length > 0 ? undefined : endingOf(sending.opened.incoming.idempotency, toEnded(sending));
  sending.settling.push(settle(sending, part, made, ending));
}

/** The parts, as soon as they are stored. None when that takes longer than the lease: nothing of them is sent then. */
async function settleRefused(sending: Sending, part: Part, made: MadeCall): Promise<Part[]> {
  const settled = await Promise.race([settle(sending, part, made), lapseOf(part)]);
  const opened = settled === undefined ? [] : await toParts(sending, part, made, settled);
  const left = part.records.filter(({ index }) => made.parts.some((indexes) => indexes.includes(index)));
  if (opened.length === 0) keepOutcomes(sending, left, withheld({ records: left }, notSent));
  return opened;
}

function lapseOf({ hold: { signal } }: Part): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

function toParts(
  { context }: Sending,
  part: Part,
  made: MadeCall,
  { parts = [], offeredAtMs }: StoredSettlement,
): Promise<Part[]> {
  const toPart = async ({ number }: CallKey, at: number): Promise<Part> => {
    const call = { ...part.call, number, fence: 1 };
    const records = part.records.filter(({ index }) => made.parts[at]?.includes(index));
    return { call, records, hold: await context.leases.holdRenewed(call, offeredAtMs) };
  };
  return Promise.all(parts.map(toPart));
}

function toEnded({ opened, outcomes }: Sending): EndedWrite {
  const { operation, isBatch, unmapped, installation } = opened.write;
  const ended = opened.records.flatMap(({ index, write: { fields } }) => {
    const outcome = outcomes.get(index);
    if (outcome === undefined) return [];
    return [{ result: outcome.result, sent: outcome.result.ok ? outcome.sent : fields }];
  });
  return {
    operationId: operation.id,
    type: operation.type,
    isBatch,
    results: ended.map(({ result }) => result),
    sentFields: ended.map(({ sent }) => sent),
    queuedBehind: opened.queuedBehind,
    unmapped,
    connectionId: installation.connectionId,
  };
}

/** Makes one call, or returns why not. @throws DefectError when the connector breaks its contract */
async function makeCall({ context, opened, parts: others }: Sending, part: Part): Promise<MadeCall> {
  const { call, records, hold } = part;
  const { incoming, write } = opened;
  const { connector } = write;
  try {
    const parts = part.live === undefined ? [] : context.callSizes.partsOf({ call, records, connector });
    if (parts.length > 0) return { ...withheld(part, tooLarge), parts };
    const ready = part.live === undefined ? await prepare(context, write, part) : { live: part.live };
    if ('failure' in ready) return withheld(part, ready.failure);
    const sent = { call, records, connector, live: ready.live, hold, held: incoming.held };
    const refresh = allowedRefresh(context, incoming, call);
    return await performAndLearn(context, { ...sent, refresh, priority: 'synchronous' });
  } catch (error) {
    // A defect. Leases that are renewed without end would keep the records busy for ever.
    for (const each of [part, ...others]) each.hold.end();
    throw error;
  }
}

/** What its records end with that are not sent. */
function withheld({ records }: Pick<Part, 'records'>, error: ProviderFailure): MadeCall {
  const results = records.map(() => ({ ok: false, error }) as const);
  return { results, parts: [], sentFields: records.map(() => undefined), calls: 0 };
}

/** What a part ends with that may not be sent any more. */
const notSent: ProviderFailure = {
  class: 'unavailable',
  message:
    'Not sent: the batch was refused for another record, and what it relied on changed before the rest could go.',
  scope: 'call',
};

/** What the parts of a call carry that was not sent because the account takes only smaller ones. */
const tooLarge: ProviderFailure = {
  class: 'unavailable',
  message: 'Not sent yet: the provider account takes fewer records in one call.',
  scope: 'call',
};

type Ready = { readonly live: LiveCredentials } | { readonly failure: ProviderFailure };

/** Credentials, quota, then the intent: no row, no send. */
async function prepare(context: GatewayContext, write: ResolvedWrite, part: Part): Promise<Ready> {
  const { call, records, hold } = part;
  try {
    const live = await context.installations.liveCredentials(call.projectId, call.connectionId);
    const quota = await context.quotas.take(call, write.connector, 'synchronous');
    if (!quota.granted) return { failure: outOfQuota(quota.retryAfterMs) };
    const { revisionId } = write.operation.pins;
    const intent = { ...call, revisionId, records: records.map(({ index }) => ({ index })) };
    const isIntended = hold.mayStillSend() && (await context.store.writes.recordIntents([intent])).has(callId(call));
    return isIntended ? { live } : { failure: notSent };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    context.logger.warn({ error, operationId: call.operationId, call: call.number }, 'write.part-not-sent');
    return { failure: notSent };
  }
}

/**
 * How a synchronous call comes to newer credentials after a 401. A refresh may take seconds, and what it leads to is another send:
 * a delete is only made again if the config still allows it.
 */
export function allowedRefresh(
  { installations }: GatewayContext,
  { request, names }: Pick<WriteCall, 'request' | 'names'>,
  { projectId, objectName }: Pick<ClaimedCall, 'projectId' | 'objectName'>,
): RefreshUsed {
  return async ({ connectionId, tokenVersion }, areFresh) => {
    const newer = await installations.refreshCredentials(projectId, connectionId, tokenVersion, areFresh);
    if (request.type !== 'delete') return newer;
    const installation = await installations.resolveAgain(names);
    try {
      assertDeletable(installation, request, objectName);
      return newer;
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      // The operation is open by now, so this is its outcome and not a refusal of the request.
      throw new ProviderError({ class: 'rejected', detail: error.detail });
    }
  };
}

/**
 * Stores the outcome of one call, then ends its lease. Keeps trying while the database is away; a stop of the gateway waits for it. Never rejects: when
 * the outcome cannot be stored, the lease lapses and an executor finds out what happened.
 */
function settle(
  { context, opened, reporting }: Sending,
  { call, records, hold }: Part,
  { used, ...made }: MadeCall,
  ending?: KeyEnding,
): Promise<StoredSettlement | undefined> {
  const { lateCommitMs } = opened.write.connector.capabilities;
  const lease = { owner: context.owner, leaseMs };
  const decided = settleSynchronous({ call, records, performed: made, lateCommitMs, lease });
  const settlement = { ...decided, ...(ending && { idempotency: ending }) };
  const store = async (): Promise<StoredSettlement | undefined> => {
    if (used) await noteOutcome(context, call, { ...made, used }, 'write.outcome-not-noted');
    try {
      const settled = await settleAndReport(context, call, settlement, reporting);
      for (const { number: callNumber, ...released } of settled.released)
        announce(context.announcers.ready, released, { callNumber, acceptedAt: new Date() });
      return settled;
    } catch (error) {
      context.logger.error({ error, operationId: call.operationId }, 'write.not-settled');
      return undefined;
    }
  };
  const work = store().finally(() => {
    hold.end();
    context.settling.delete(work);
  });
  context.settling.add(work);
  return work;
}
