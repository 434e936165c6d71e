import type { HeldConnection } from './lane';
import type { ExplainedAttempt, ExplainedPlan, ExplainedRecord, OperationExplanation } from './operation-explanation';
import { reasonOf } from './record-problem';
import { clockTime, pluralize } from './wording';

/** A step of a record, and what happened in it. The command line and the console show the same. */
export type Step = readonly [step: string, text: string];

/** What happened to one record and why, after its plan and in order: decided, sent, answered, looked up, ended. */
export function timelineOf(record: ExplainedRecord, explanation: OperationExplanation): readonly Step[] {
  return [
    ...decidedSteps(record),
    ...sentSteps(record, explanation),
    ...lookupSteps(record, explanation),
    endStep(record, explanation),
  ];
}

/** What is written to records with one timeline: for a single one the forms of its values, for several how many have a field. */
export function planStep(records: readonly ExplainedRecord[], { type }: OperationExplanation): Step {
  const plans = records.flatMap(({ plan }) => plan ?? []);
  const [first] = plans;
  if (first === undefined) return ['plan', 'is no longer kept: it was deleted after its retention time'];
  const target = first.recordId === undefined || plans.length > 1 ? '' : ` of ${first.recordId}`;
  const config = records[0]?.configId ?? '';
  return ['plan', `${type} ${first.objectName}${target}: ${fieldsOf(plans)} (config ${config})`];
}

function fieldsOf(plans: readonly ExplainedPlan[]): string {
  const [first] = plans;
  if (first === undefined || Object.keys(first.fields).length === 0) return 'no fields';
  if (plans.length === 1)
    return Object.entries(first.fields)
      .map(([name, form]) => `${name} ${form}`)
      .join(', ');
  const counts = new Map<string, number>();
  for (const name of plans.flatMap(({ fields }) => Object.keys(fields))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === plans.length ? name : `${name} (in ${count})`)).join(', ');
}

function decidedSteps({ plan }: ExplainedRecord): Step[] {
  return plan === undefined ? [] : [...(plan.notes ?? []).map(toNoteStep), ...furtherSteps(plan)];
}

function toNoteStep({ field, providerField, reason, sent }: NonNullable<ExplainedPlan['notes']>[number]): Step {
  const name = providerField === undefined || providerField === field ? field : `${field} -> ${providerField}`;
  return [sent ? 'field' : 'left out', `${name}: ${reason}`];
}

function furtherSteps({ associations, headers }: ExplainedPlan): Step[] {
  return [
    ...(associations === undefined ? [] : [['links', pluralize(associations, 'association')] as const]),
    ...(headers === undefined ? [] : [['headers', headers.join(', ')] as const]),
  ];
}

interface Sent {
  readonly call: number;
  readonly attempt: ExplainedAttempt;
}

/** Every attempt that carried the record, in whichever call it was at the time. */
function attemptsOf({ index }: ExplainedRecord, { calls }: OperationExplanation): readonly Sent[] {
  return calls
    .flatMap(({ number: call, attempts }) => attempts.map((attempt) => ({ call, attempt })))
    .filter(({ attempt }) => attempt.recordIndexes.includes(index))
    .toSorted((one, other) => one.attempt.sentAt.localeCompare(other.attempt.sentAt));
}

function sentSteps(record: ExplainedRecord, explanation: OperationExplanation): Step[] {
  return attemptsOf(record, explanation).map(({ call, attempt }, at, all): Step => {
    const { number, sentAt, recordIndexes, status } = attempt;
    const where = `call ${call}, attempt ${number}, ${pluralize(recordIndexes.length, 'record')}`;
    // The first error of a partly written batch may be another record's; this record's error is in its end.
    const isOwn = at < all.length - 1 || status === undefined || status >= 400;
    return [
      'sent',
      `${clockTime(sentAt, explanation.operation.createTime)} in ${where} -> ${answerOf(attempt, isOwn)}`,
    ];
  });
}

function answerOf(attempt: ExplainedAttempt, isOwn: boolean): string {
  const { finishedAt, status, durationMs, error, isLate, providerRequestId } = attempt;
  if (finishedAt === undefined) return 'no answer was recorded';
  const request = providerRequestId === undefined ? '' : ` (request ${providerRequestId})`;
  const took = durationMs === undefined ? '' : ` in ${durationMs} ms`;
  const late = isLate === true ? ', after the call had been given up' : '';
  const failure = error === undefined || !isOwn ? '' : `; ${error.class}: ${error.message}`;
  return `${status ?? 'no reply'}${took}${late}${request}${failure}`;
}

/** The lookup at the provider of a create whose reply was lost. */
function lookupSteps(record: ExplainedRecord, explanation: OperationExplanation): Step[] {
  const { status, sendState, call } = record;
  if (explanation.type !== 'create' || sendState !== 'maybe') return [];
  if (status === 'succeeded') return [['lookup', 'the provider has the record: it was adopted, not sent again']];
  const isInDoubt = explanation.calls.some(({ number, state }) => number === call && state === 'in_doubt');
  if (isInDoubt) return [['lookup', 'in progress: whether the provider has the record']];
  return status === 'pending' ? [] : [['lookup', 'could not determine whether the provider has the record']];
}

function endStep(record: ExplainedRecord, { calls, batch, operation, held }: OperationExplanation): Step {
  const { status, error, problems, warnings, replayedBy, retryUntil, call } = record;
  const replay = replayedBy === undefined ? '' : `; replayed by operation ${replayedBy}`;
  const message = error === undefined ? '' : ` (${error.class}): ${reasonOf(error, problems)}`;
  if (status === 'succeeded') return ['ended', `written${warnings === undefined ? '' : `; ${warnings.join('; ')}`}`];
  if (status === 'failed') return ['ended', `not written${message}${replay}`];
  if (status === 'unknown') return ['ended', `unknown whether it was written${message}${replay}`];
  if (call === undefined)
    return [
      'waits',
      `its batch collects until ${batch === undefined ? 'it leaves' : clockTime(batch.dueAt, operation.createTime)}`,
    ];
  const until = retryUntil === undefined ? '' : `, tried until ${retryUntil.slice(0, 19).replace('T', ' ')}`;
  const found = calls.find(({ number }) => number === call);
  if (held !== undefined && found?.state !== 'running') return ['waits', `for new credentials${until}${message}`];
  const when = found?.notBefore === undefined ? '' : ` until ${clockTime(found.notBefore, operation.createTime)}`;
  const state =
    found?.state === 'waiting'
      ? 'behind an earlier write to the same record'
      : `in call ${call}, ${found?.state}${when}`;
  return ['waits', `${state}${until}${message}`];
}

/** Why nothing of a connection is sent, and who ends that. The moment is in UTC. */
export function holdText({ connectionId, provider, groupRef, since }: HeldConnection, near?: string): string {
  const refused = `${provider} refuses the credentials of connection ${connectionId} of ${groupRef} since ${clockTime(since, near)}`;
  return `${refused}; nothing is sent before it has new ones`;
}
