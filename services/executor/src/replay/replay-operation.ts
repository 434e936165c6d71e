import type { Connector } from '@sluice/connectors';
import type { ClaimedCall, Settlement } from '@sluice/store';
import type { ExportedRecord, OperationExport } from '@sluice/types';
import {
  batchLimit,
  decideSettlement,
  headersKeyOf,
  leaseMs,
  orderKeyOf,
  performCall,
  planCalls,
  settleSynchronous,
  type Sendable,
} from '@sluice/writes';
import { nobody, type Classified, type RecordedProviders } from './recorded-provider';
import { attemptsOf, recordedOutcome, recordedResults, type RecordedAttempt } from './recorded-results';
import { standInPlan } from './stand-ins';

/** One decision, made again. */
export interface ReplayedStep {
  /** `call 1, attempt 2`. */
  readonly title: string;
  readonly text: string;
  /** What was recorded instead; absent: the same. */
  readonly differs?: string;
}

export interface Replayed {
  readonly steps: readonly ReplayedStep[];
}

/** What is known of a record before its next attempt. */
type Known = Pick<Sendable, 'sendState' | 'firstSentAt' | 'lastError'>;

/** Half of the ceiling: a pause as long as the mean of the drawn ones. */
const random = () => 0.5;

/**
 * Feeds plans and answers of an operation through the code that plans calls, performs them and decides what follows, in the order in
 * which the attempts left. @throws Error for a provider that is not known here, and for plans that are gone
 */
export async function replayOperation(exported: OperationExport, providers: RecordedProviders): Promise<Replayed> {
  const connector = providers.find(exported.provider);
  if (connector === undefined) throw new Error(`The provider ${exported.provider} is not known to this executor.`);
  const known = new Map<number, Known>();
  const steps: ReplayedStep[] = [...planAgain(exported, connector)];
  for (const attempt of attemptsOf(exported)) {
    const records = exported.records.filter(({ index }) => attempt.recordIndexes.includes(index));
    steps.push(await attemptAgain({ exported, connector, providers, known, attempt, records }));
  }
  return { steps };
}

/** An auto-batch is divided by its batcher; other writes have the calls that they came with. */
function planAgain(exported: OperationExport, connector: Connector): ReplayedStep[] {
  const first = exported.calls.filter(({ attempts }) => attempts.length > 0);
  if (exported.mode !== 'auto-batched' || first.length === 0) return [];
  const limit = batchLimit(connector.capabilities, exported.type) ?? 1;
  const planned = planCalls(
    exported.records.map((record) => ({
      index: record.index,
      connectionId: nobody.connectionId,
      headersKey: headersKeyOf(record.plan?.headers?.map((key) => ({ key, value: 'x' }))),
      ...orderOf(exported, connector, record),
      isBehindAnother: false,
      // An export has forms, not sizes: a call that was divided for its bytes shows as a difference.
      planBytes: 0,
    })),
    { records: limit },
  );
  const text = `${counted(exported.records.length, 'record')} -> ${counted(planned.length, 'call')} of at most ${limit}`;
  // The parts of a refused call are calls too, so only what each planned call first carried is compared.
  const others = planned.filter(({ number, recordIndexes }) => {
    const carried = exported.calls.find((call) => call.number === number)?.attempts[0]?.recordIndexes;
    return carried === undefined || carried.toString() !== recordIndexes.toString();
  });
  const differs = `call ${others.map(({ number }) => number).join(', ')} carried other records, as behind an earlier write`;
  return [{ title: 'plan', text, ...(others.length === 0 ? {} : { differs }) }];
}

function orderOf({ type }: OperationExport, connector: Connector, { plan }: ExportedRecord) {
  const key = plan?.recordId === undefined ? undefined : connector.recordKey(plan.recordId);
  const orderKey = type === 'create' ? undefined : orderKeyOf('replay', plan?.objectName ?? '', key);
  return orderKey === undefined ? {} : { orderKey };
}

interface Again {
  readonly exported: OperationExport;
  readonly connector: Connector;
  readonly providers: RecordedProviders;
  readonly known: Map<number, Known>;
  readonly attempt: RecordedAttempt;
  readonly records: readonly ExportedRecord[];
}

async function attemptAgain(again: Again): Promise<ReplayedStep> {
  const { exported, attempt, records, known } = again;
  const title = `call ${attempt.call}, attempt ${attempt.number}`;
  const sent = `${counted(records.length, 'record')} -> ${attempt.status ?? 'no status'}`;
  if (attempt.finishedAtMs === undefined || attempt.isLate === true) {
    for (const { index } of records) known.set(index, { sendState: 'maybe', firstSentAt: new Date(attempt.sentAtMs) });
    const why =
      attempt.isLate === true ? 'the answer came too late and was kept as evidence' : 'no answer was recorded';
    return { title, text: `${sent}; ${why}: what was written is looked up` };
  }
  let how: Classified = 'recorded';
  const settlement = await settleAgain(again, (classified) => (how = classified));
  remember(again, settlement);
  const others = records.filter((record) => kindOf(settlement, record) !== recordedOutcome(exported, attempt, record));
  const recorded = others.map((record) => `record ${record.index} ${recordedOutcome(exported, attempt, record)}`);
  return {
    title,
    text: `${sent}${classifiedText(attempt, how)}; decides: ${describe(settlement)}`,
    ...(recorded.length === 0 ? {} : { differs: recorded.join(', ') }),
  };
}

function kindOf({ records }: Settlement, { index }: ExportedRecord): string | undefined {
  return records.find((each) => each.index === index)?.kind;
}

async function settleAgain(again: Again, onClassified: (how: Classified) => void): Promise<Settlement> {
  const { exported, connector, providers, attempt, records } = again;
  const sendables = records.map((record) => toSendable(again, record));
  const call = toCall(exported, attempt, sendables[0]?.write.objectName ?? '');
  const performed = await performCall({
    call,
    records: sendables,
    connector: providers.answering(connector, {
      attempt,
      results: recordedResults(exported, attempt, records),
      onClassified,
    }),
    live: nobody,
    hold: { signal: new AbortController().signal, mayStillSend: () => true },
  });
  const { lateCommitMs } = connector.capabilities;
  if (call.mode === 'synchronous') {
    return settleSynchronous({
      call,
      records: sendables,
      performed,
      lateCommitMs,
      lease: { owner: 'replay', leaseMs },
    });
  }
  const elapsedMs = (attempt.finishedAtMs ?? attempt.sentAtMs) - attempt.sentAtMs;
  return decideSettlement({ call, records: sendables, performed, elapsedMs, lateCommitMs, random });
}

function toSendable({ exported, known, attempt }: Again, record: ExportedRecord): Sendable {
  const write = standInPlan(exported, record);
  const before: Known = known.get(record.index) ?? { sendState: 'none' };
  // Without a deadline the record was synchronous: nothing of it waits.
  const leftMs = (record.retryUntilMs ?? attempt.sentAtMs) - attempt.sentAtMs;
  return { index: record.index, plan: JSON.stringify(write), write, leftMs, ...before };
}

function toCall(
  { operationId, type, mode, calls }: OperationExport,
  attempt: RecordedAttempt,
  objectName: string,
): ClaimedCall {
  return {
    projectId: 'replay',
    laneId: 'replay',
    connectionId: nobody.connectionId,
    operationId,
    number: attempt.call,
    objectName,
    type,
    mode,
    allOrNone: calls.find(({ number }) => number === attempt.call)?.allOrNone === true,
    fence: attempt.number,
    attempts: attempt.number - 1,
    crashCount: 0,
    isInDoubt: false,
    traceparent: '',
  };
}

/** The next attempt of a record begins where this one has left it. */
function remember({ known, attempt }: Again, { records }: Settlement): void {
  for (const settled of records) {
    if (settled.kind !== 'again') continue;
    const { index, sendState, error, isUntried } = settled;
    known.set(index, {
      sendState,
      ...(isUntried === true ? {} : { firstSentAt: known.get(index)?.firstSentAt ?? new Date(attempt.sentAtMs) }),
      ...(error === undefined ? {} : { lastError: error }),
    });
  }
}

function classifiedText({ class: failureClass }: RecordedAttempt, how: Classified): string {
  if (failureClass === undefined) return '';
  const why = {
    'by-status': 'the connector says so of the status',
    'by-words': 'recorded; the status alone would say otherwise, so the words decided',
    recorded: 'recorded',
  };
  return ` ${failureClass} (${why[how]})`;
}

function describe({ records, next }: Settlement): string {
  const counts = new Map<string, number>();
  for (const { kind } of records) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const outcomes = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${outcomes}; the call ${nextText(next)}`;
}

function nextText(next: Settlement['next']): string {
  if (next.state === 'split') return `goes on as calls of ${next.parts.map(({ length }) => length).join(' and ')}`;
  if (next.state === 'in_doubt') return `is in doubt and looked for after ${next.delayMs} ms`;
  return next.state === 'ready'
    ? `is sent again after about ${Math.round(next.delayMs / 1_000)} s`
    : `is ${next.state}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
