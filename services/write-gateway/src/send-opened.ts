import type { Fields, ProviderFailure, RecordResult } from '@sluice/connectors';
import { DefectError } from '@sluice/errors';
import type { CallKey, ClaimedCall, Settlement } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { leaseMs, settleSynchronous, type Sendable } from '@sluice/writes';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingOf } from './answer-once';
import type { GatewayContext } from './context';
import { makeCall, notSent, withheld, type MadeCall, type Part } from './make-call';
import type { EndedWrite } from './present-write';
import type { ResolvedWrite, WriteCall } from './resolve-write';
import { settleWrite, type SettledWrite } from './settle-write';

/** Longest time a reply waits for its settlements; usually a millisecond. */
const replyWithoutSettlementMs = 1_000;

/** A synchronous write whose operation is open: its call runs under our lease, and its intent is committed. */
export interface Opened {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly openedAtMs: number;
  readonly queuedBehind: readonly string[];
  readonly request: WriteCall;
  /** Opens the credentials that the opening confirmed. @throws DefectError */
  readonly live: () => LiveCredentials;
}

interface Sending {
  readonly context: GatewayContext;
  readonly write: ResolvedWrite;
  readonly opened: Opened;
  /** By the index of the record. */
  readonly outcomes: Map<number, { readonly result: RecordResult; readonly sent: Fields | undefined }>;
  /** Calls still to make, in the order of their records. */
  readonly parts: Part[];
  readonly settling: Promise<void>[];
}

/**
 * Sends an opened write. A call that the provider refuses whole for what may be one record is settled as its parts: they run at once under
 * leases of this process and are sent one after the other, each with an intent of its own. What ends the sending (a blocked account,
 * refused credentials, spent quota, a lost lease) is the outcome of whatever was not sent yet. The reply has them all.
 */
export async function sendOpened(context: GatewayContext, write: ResolvedWrite, opened: Opened): Promise<EndedWrite> {
  const { call, records } = opened;
  const ready = readCredentials(opened);
  const first: Part = { call, records, ...ready, hold: await context.leases.holdRenewed(call, opened.openedAtMs) };
  const sending: Sending = { context, write, opened, outcomes: new Map(), parts: [first], settling: [] };
  let stop = ready.defect === undefined ? undefined : notReadable;
  for (let part = sending.parts.shift(); part !== undefined; part = sending.parts.shift()) {
    const made: MadeCall = stop === undefined ? await make(sending, part) : withheld(part, stop);
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

/** Credentials that cannot be opened end the write as not sent, so that nobody has to find out; the caller gets the defect. */
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

async function make({ context, write, opened, parts }: Sending, part: Part): Promise<MadeCall> {
  try {
    return await makeCall(context, write, opened.request, part);
  } catch (error) {
    // A defect. Leases that are renewed without end would keep the records busy for ever.
    for (const each of [part, ...parts]) each.hold.end();
    throw error;
  }
}

/** What will meet every further call as well, or was the reason not to make this one. */
function stopOf({ results, calls }: MadeCall): ProviderFailure | undefined {
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  return failures.find((failure) => calls === 0 || failure.scope === 'lane' || failure.class === 'credentials');
}

function keepOutcomes({ outcomes }: Sending, records: readonly Sendable[], made: MadeCall): void {
  for (const [at, { index }] of records.entries()) {
    outcomes.set(index, { result: made.results[at] as RecordResult, sent: made.sentFields[at] });
  }
}

/** Not awaited by whoever sends on; the last one also ends the idempotency key, because only then the reply is known. */
function settleEnded(sending: Sending, part: Part, made: MadeCall): void {
  const { context, opened, parts } = sending;
  const ending = parts.length > 0 ? undefined : endingOf(opened.request.idempotency, toEnded(sending));
  const settlement = { ...toSettlement(sending, part, made), ...(ending && { idempotency: ending }) };
  sending.settling.push(
    track(
      context,
      settleWrite(context, settlement, made, sending.write.connector.provider).finally(() => part.hold.end()),
    ),
  );
}

/** The parts, as soon as they are stored. None when that takes longer than the lease: nothing of them is sent then. */
async function settleRefused(sending: Sending, part: Part, made: MadeCall): Promise<Part[]> {
  const { context } = sending;
  const settling = settleWrite(
    context,
    toSettlement(sending, part, made),
    made,
    sending.write.connector.provider,
  ).finally(() => part.hold.end());
  void track(context, settling);
  const settled = await Promise.race([settling, lapseOf(part)]);
  const opened = settled === undefined ? [] : await toParts(sending, part, made, settled);
  const left = part.records.filter(({ index }) => made.parts.some((indexes) => indexes.includes(index)));
  if (opened.length === 0) keepOutcomes(sending, left, withheld({ records: left }, notSent));
  return opened;
}

/** A stop of the gateway waits for it. */
function track({ settling }: GatewayContext, work: Promise<unknown>): Promise<void> {
  const tracked: Promise<void> = (async () => {
    await work;
  })().finally(() => settling.delete(tracked));
  settling.add(tracked);
  return tracked;
}

function lapseOf({ hold: { signal } }: Part): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

function toParts(
  { context }: Sending,
  part: Part,
  made: MadeCall,
  { parts, offeredAtMs }: SettledWrite,
): Promise<Part[]> {
  const toPart = async ({ number }: CallKey, at: number): Promise<Part> => {
    const call = { ...part.call, number, fence: 1 };
    const records = part.records.filter(({ index }) => made.parts[at]?.includes(index));
    return { call, records, hold: await context.leases.holdRenewed(call, offeredAtMs) };
  };
  return Promise.all(parts.map(toPart));
}

function toSettlement({ context, write }: Sending, { call, records }: Part, performed: MadeCall): Settlement {
  const { lateCommitMs } = write.connector.capabilities;
  return settleSynchronous({ call, records, performed, lateCommitMs, lease: { owner: context.owner, leaseMs } });
}

function toEnded({ write: { operation, isBatch }, opened, outcomes }: Sending): EndedWrite {
  const ended = opened.records.flatMap(({ index }) => outcomes.get(index) ?? []);
  return {
    operationId: operation.id,
    type: operation.type,
    isBatch,
    results: ended.map(({ result }) => result),
    sentFields: ended.map(({ sent }) => sent),
    queuedBehind: opened.queuedBehind,
  };
}
