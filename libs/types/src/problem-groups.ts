import type { OperationRecord } from './operation-record';
import type { RecordProblem } from './record-problem';

/** Records of one operation that were not written for the same reason. */
export interface ProblemGroup {
  /** Class of their failure. */
  readonly class: string;
  /** Of the first of them; those of the others have the same field and code, and name their own values. */
  readonly problem: RecordProblem;
  /** What all of them have: without the value of one. */
  readonly sentence: string;
  /** By index. */
  readonly records: readonly OperationRecord[];
  /** The provider's sentence of each of the records. */
  readonly messages: readonly string[];
}

/** What went wrong in an operation, the most frequent first. A record with several problems is in several groups. */
export function groupProblems(operation: readonly OperationRecord[]): readonly ProblemGroup[] {
  const found = operation.flatMap((record) => problemsOf(record).map((problem) => ({ record, problem })));
  const groups = Map.groupBy(found, ({ record, problem }) => JSON.stringify([record.error?.class, reasonKey(problem)]));
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first?.record.error === undefined) return [];
      const members = [first, ...others];
      const records = members.map(({ record }) => record);
      const messages = members.map(({ problem }) => problem.message);
      const sentence = generalSentence(messages, first.problem.code);
      return [{ class: first.record.error.class, problem: first.problem, sentence, records, messages }];
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

/**
 * A provider's sentence that stands for several records: without ids, and without the words in which theirs differ. The sentence of one record may echo
 * its value anywhere, so there the code says what is wrong, where it is a word.
 */
export function generalSentence(messages: readonly string[], code = ''): string {
  const [first = '', ...others] = messages;
  if (others.every((message) => message === first))
    return others.length === 0 ? (inWords(code) ?? withoutValues(first)) : withoutIds(first);
  const texts = messages.map((message) => message.split(/\s+/));
  const shortest = Math.min(...texts.map(({ length }) => length));
  const before = equalWords(texts, shortest, (words, at) => words[at]);
  const after = equalWords(texts, shortest - before, (words, at) => words.at(-1 - at));
  const words = first.split(/\s+/);
  const kept = [...words.slice(0, before), '…', ...words.slice(words.length - after)];
  return withoutIds(kept.length < 3 ? (inWords(code) ?? withoutValues(first)) : kept.join(' '));
}

/** How many words all texts have alike, from one of their ends on. */
function equalWords(
  texts: readonly (readonly string[])[],
  max: number,
  wordOf: (words: readonly string[], at: number) => string | undefined,
): number {
  const [first = []] = texts;
  let count = 0;
  while (count < max && texts.every((words) => wordOf(words, count) === wordOf(first, count))) count += 1;
  return count;
}

/** `INVALID_EMAIL` as `invalid email`; undefined of a code that is a number. */
function inWords(code: string): string | undefined {
  return /[A-Za-z]{3}/.test(code) ? code.replaceAll(/[_.-]+/g, ' ').toLowerCase() : undefined;
}

/** A sentence without the id of one record. */
export function withoutIds(text: string): string {
  return text.replaceAll(/\b\d{6,}\b/g, '…');
}

/** The same without what is quoted, and without email addresses. */
function withoutValues(text: string): string {
  return withoutIds(text.replaceAll(/"[^"]+"|'[^' ][^']*'|\S+@\S+/g, '…'));
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
