import type { OperationRecord } from './operation-record';
import type { RecordProblem } from './record-problem';

/** Records of one operation that were not written for the same reason. */
export interface ProblemGroup {
  /** Class of their failure. */
  readonly class: string;
  /** Of the first of them; those of the others have the same field and code, and name their own values. */
  readonly problem: RecordProblem;
  /** By index. */
  readonly records: readonly OperationRecord[];
}

/** What went wrong in an operation, the most frequent first. A record with several problems is in several groups. */
export function groupProblems(records: readonly OperationRecord[]): readonly ProblemGroup[] {
  const found = records.flatMap((record) => problemsOf(record).map((problem) => ({ record, problem })));
  const groups = Map.groupBy(found, ({ record, problem }) => JSON.stringify([record.error?.class, reasonKey(problem)]));
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first?.record.error === undefined) return [];
      const members = [first, ...others].map(({ record }) => record);
      return [{ class: first.record.error.class, problem: first.problem, records: members }];
    })
    .toSorted((one, other) => other.records.length - one.records.length);
}

/** Equal for records that were not written for the same reasons; undefined for a record that was, or is not decided. */
export function problemsKey(record: OperationRecord): string | undefined {
  const problems = problemsOf(record);
  return problems.length === 0 ? undefined : JSON.stringify([record.error?.class, problems.map(reasonKey)]);
}

function problemsOf({ error, problems, status }: OperationRecord): readonly RecordProblem[] {
  return error === undefined || status === 'pending' ? [] : (problems ?? [error]);
}

/** A sentence names the value, so it tells reasons apart only where there is nothing else. */
function reasonKey({ field, code, message }: RecordProblem): readonly (string | undefined)[] {
  return [field, code, field === undefined && code === undefined ? message : ''];
}

/** What to do where the same values would be refused again. */
const correctFirst: Readonly<Record<string, string>> = {
  rejected: 'A retry would send the same values. Correct them and write the record again.',
  conflict: 'The account has such a record. Update that one, or write this one with another value.',
  'not-found': 'The account has no such record. A retry would not find it either.',
  forbidden:
    "The connection may not do this. Change its user's rights, or connect with more scopes, and retry by `sluice op replay`.",
};

/** Why a retry cannot help records that failed with this class; undefined where it can. */
export function whyNoRetry(failureClass: string): string | undefined {
  return correctFirst[failureClass];
}
