import { holdText, planStep, problemsKey, timelineOf } from '@sluice/types';
import type { ExplainedRecord, OperationExplanation, Step } from '@sluice/types';
import { clockTime, pluralize, plain, shortTime } from '../output/print';

type Batch = NonNullable<OperationExplanation['batch']>;

/** Courses of records with equal problems that are shown, unless all are asked for. */
const shownFirst = 3;

/**
 * What happened to an operation, for people: its course, then each record. Records with the same timeline are grouped; of others with equal problems
 * the first three are shown.
 * @param isAll each record is shown
 */
export function renderExplanation(explanation: OperationExplanation, isAll = false): string {
  const courses = [...groupByTimeline(explanation)];
  const byProblem = Map.groupBy(courses, ([, [first]]) => first && problemsKey(first));
  const sections = [...byProblem].flatMap(([problem, alike]) => {
    const shown = isAll || problem === undefined ? alike : alike.slice(0, shownFirst);
    const more = alike.slice(shown.length).flatMap(([, records]) => records);
    return [...shown.map(renderCourse), ...(more.length === 0 ? [] : [moreAlike(more, explanation)])];
  });
  return [renderHead(explanation), ...sections].join('\n\n');

  function renderCourse([timeline, records]: readonly [string, readonly ExplainedRecord[]]): string {
    return [titleOf(records), toLine(planStep(records, explanation)), timeline].join('\n');
  }
}

function moreAlike(records: readonly ExplainedRecord[], { operation }: OperationExplanation): string {
  const inOrder = records.toSorted((one, other) => one.index - other.index);
  const count = `${pluralize(records.length, 'more record')} with the same problem: ${rangesOf(inOrder)}`;
  return `${count}\n  Each: sluice op explain ${operation.id} --all`;
}

function renderHead(explanation: OperationExplanation): string {
  const { operation, provider, type, mode, batch, calls, cancelRequestedAt, laneBlockedUntil, held } = explanation;
  const { id, resource, status, result, createTime, groupRef } = operation;
  const isCollecting = calls.length === 0 && status === 'in_progress';
  const joined = batch === undefined ? '' : `, into a batch that ${leaves(batch, createTime, isCollecting)}`;
  const steps: (readonly [string, string | undefined])[] = [
    ['accepted', `${shortTime(createTime)}${joined}`],
    ['cancel', cancelRequestedAt && `was asked for at ${clockTime(cancelRequestedAt, createTime)}`],
    [
      'blocked',
      laneBlockedUntil && `nothing is sent to this account before ${clockTime(laneBlockedUntil, createTime)}`,
    ],
    ['held', held && `${holdText(held, createTime)} (sluice connections reconnect ${held.connectionId})`],
    [status === 'in_progress' ? 'now' : 'ended', `${status}${result === undefined ? '' : `: ${result}`}`],
  ];
  const lines = steps.flatMap(([step, text]) => (text === undefined ? [] : [toLine([step, text])]));
  const group = groupRef === undefined ? '' : ` for ${plain(groupRef)}`;
  return [`Operation ${id}: ${mode} ${type} of ${resource} at ${provider}${group}`, ...lines].join('\n');
}

function leaves(batch: Batch, createTime: string | undefined, isCollecting: boolean): string {
  const { dueAt, isFull } = batch;
  if (isFull) return 'left when it was full';
  return `${isCollecting ? 'leaves' : 'was to leave'} at ${clockTime(dueAt, createTime)} at the latest`;
}

function groupByTimeline(explanation: OperationExplanation): Map<string, ExplainedRecord[]> {
  const groups = new Map<string, ExplainedRecord[]>();
  for (const record of explanation.records) {
    const timeline = timelineOf(record, explanation).map(toLine).join('\n');
    groups.set(timeline, [...(groups.get(timeline) ?? []), record]);
  }
  return groups;
}

function toLine([step, text]: Step): string {
  return `  ${step.padEnd(8)}  ${plain(text)}`;
}

function titleOf(records: readonly ExplainedRecord[]): string {
  const [first] = records;
  const ids = records.flatMap(({ recordId }) => recordId ?? []);
  const ref = records.length === 1 && first?.ref !== undefined ? ` (ref ${first.ref})` : '';
  const values = records.flatMap(({ identifiedBy: by }) => (by === undefined ? [] : `${by.field} ${by.value}`));
  const identified = values.length === 0 ? '' : ` (${firstThree(values)})`;
  const known = ids.length === 0 ? '' : `, at the provider ${firstThree(ids)}`;
  const name =
    records.length === 1 ? `Record ${first?.index}` : `${pluralize(records.length, 'record')}: ${rangesOf(records)}`;
  return plain(`${name}${ref}${identified}${known}`);
}

function firstThree(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`;
}

/** `0-97, 99`. */
function rangesOf(records: readonly ExplainedRecord[]): string {
  const ranges: [number, number][] = [];
  for (const { index } of records) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
