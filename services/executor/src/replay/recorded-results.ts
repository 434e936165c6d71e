import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import { failureClasses, type FailureClass } from '@sluice/errors';
import type { ExportedAttempt, ExportedRecord, OperationExport } from '@sluice/types';

/** The outcome of a record in one attempt, as the tables have it. `again`: it was unfinished. */
export type Outcome = 'succeeded' | 'failed' | 'unknown' | 'again';

/** An attempt, with the call that it was of. */
export interface RecordedAttempt extends ExportedAttempt {
  readonly call: number;
}

/** Every attempt of the operation, in the order in which they left. */
export function attemptsOf({ calls }: OperationExport): readonly RecordedAttempt[] {
  return calls
    .flatMap(({ number: call, attempts }) => attempts.map((attempt) => ({ ...attempt, call })))
    .toSorted((one, other) => one.sentAtMs - other.sentAtMs);
}

/** Ends that no answer of a provider brings. */
const ownEnds: readonly string[] = ['deadline', 'cancelled', 'quarantined'];

/** A record that went on after the attempt, or that ended without an answer, was to do again. */
export function recordedOutcome(exported: OperationExport, attempt: RecordedAttempt, record: ExportedRecord): Outcome {
  const wentOn = laterAttempts(exported, attempt).some(({ recordIndexes }) => recordIndexes.includes(record.index));
  const wasLookedUp = exported.type === 'create' && record.sendState === 'maybe' && exported.mode !== 'synchronous';
  if (wentOn || wasLookedUp || record.status === 'pending' || ownEnds.includes(record.class ?? '')) return 'again';
  return record.status;
}

function laterAttempts(exported: OperationExport, { call, number }: RecordedAttempt): readonly RecordedAttempt[] {
  const all = attemptsOf(exported);
  const at = all.findIndex((each) => each.call === call && each.number === number);
  return all.slice(at + 1);
}

/** The result per record, as far as it was recorded: classes, not texts. */
export function recordedResults(
  exported: OperationExport,
  attempt: RecordedAttempt,
  records: readonly ExportedRecord[],
): readonly RecordResult[] {
  const outcomes = records.map((record) => recordedOutcome(exported, attempt, record));
  const isWhole = !outcomes.includes('succeeded');
  const wentElsewhere = (record: ExportedRecord) =>
    laterAttempts(exported, attempt).some(
      ({ call, recordIndexes }) => call !== attempt.call && recordIndexes.includes(record.index),
    );
  const divided = isWhole && records.some(wentElsewhere) ? dividedBy(records, wentElsewhere) : {};
  return records.map((record, at): RecordResult => {
    if (outcomes[at] === 'succeeded') return { ok: true, recordId: record.plan?.recordId ?? `made-${record.index}` };
    const failureClass = outcomes[at] === 'again' ? attempt.class : (record.class ?? attempt.class);
    return { ok: false, error: { ...failureOf(failureClass, isWhole, attempt.status), ...divided } };
  });
}

/** A refusal that was taken for single records' fault. The fields that the provider named are those of the records that it ended alone. */
function dividedBy(
  records: readonly ExportedRecord[],
  wentElsewhere: (record: ExportedRecord) => boolean,
): Pick<ProviderFailure, 'mayBeOneRecord' | 'refusedFields'> {
  const namesOf = ({ plan }: ExportedRecord) => Object.keys(plan?.fields ?? {});
  const good = new Set(records.filter(wentElsewhere).flatMap(namesOf));
  const bad = records.filter((record) => !wentElsewhere(record)).flatMap(namesOf);
  return { mayBeOneRecord: true, refusedFields: [...new Set(bad)].filter((name) => !good.has(name)) };
}

function failureOf(recorded: string | undefined, isWhole: boolean, status: number | undefined): ProviderFailure {
  const failureClass = failureClasses.find((each): each is FailureClass => each === recorded) ?? 'unknown';
  return {
    class: failureClass,
    message: 'The text of the provider is not in the file.',
    scope: failureClass === 'quota' ? 'lane' : isWhole ? 'call' : 'record',
    ...(status === undefined ? {} : { status }),
  };
}
