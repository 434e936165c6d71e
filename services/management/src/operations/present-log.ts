import type { OperationEvent, OperationEventKind } from '@sluice/store';
import type { Log } from '@sluice/types';

type Facts = OperationEvent['facts'];
type Severity = 'INFO' | 'WARN' | 'ERROR';

/** One sentence for each kind of event. Facts hold no field value, so neither do the sentences. */
const sentences: Record<OperationEventKind, (facts: Facts) => readonly [Severity, string]> = {
  accepted: ({ mode, type, objectName, replayOf }) => [
    'INFO',
    `Accepted: ${mode} ${type} of ${objectName}${replayOf === undefined ? '' : `, a retry of operation ${replayOf}`}.`,
  ],
  sealed: ({ records, calls }) => [
    'INFO',
    `The batch was sealed: ${pluralize(records, 'record')} in ${pluralize(calls, 'call')}.`,
  ],
  sent: ({ call, attempt, records }) => [
    'INFO',
    `Call ${call} was sent${attempt === 1 ? '' : ' again'} with ${pluralize(records, 'record')} (attempt ${attempt}).`,
  ],
  answered: answered('The provider answered'),
  'answered-late': answered(
    'A reply came after the call had been given up, and was kept as evidence: the provider answered',
  ),
  divided: ({ call, records }) => [
    'INFO',
    `Call ${call} was refused for what may be one of its records: ${pluralize(records, 'record')} went on in smaller calls.`,
  ],
  waits: ({ call, until }) => ['WARN', `Call ${call} is sent again after ${until}.`],
  'in-doubt': ({ call }) => ['WARN', `What call ${call} has written is not known. It is being looked up.`],
  reconciled: ({ call, attempt }) => ['INFO', `What attempt ${attempt} of call ${call} had written was looked up.`],
  quarantined: ({ call }) => ['ERROR', `Call ${call} was taken out after four crashes of the executor.`],
  'cancel-requested': () => ['INFO', 'A cancel was asked for.'],
  'records-failed': ({ records, outcome, class: failureClass }) => [
    failureClass === 'cancelled' ? 'WARN' : 'ERROR',
    `${pluralize(records, 'record')} ended as ${outcome}${failureClass === undefined ? '' : ` (${failureClass})`}.`,
  ],
  ended: ({ state, succeeded, failed }) =>
    state === 'succeeded' && Number(failed) > 0
      ? [
          'WARN',
          `The operation ended in part: ${succeeded} of ${Number(succeeded) + Number(failed)} written, ${failed} not.`,
        ]
      : [state === 'failed' ? 'ERROR' : 'INFO', `The operation ${state}: ${succeeded} written, ${failed} not.`],
  replayed: ({ records, replayedBy }) => [
    'INFO',
    `Replayed: ${pluralize(records, 'record')}, as operation ${replayedBy}.`,
  ],
};

/** An event as a line of its operation's log. Shape: published API, `Log`. */
export function presentLog(operationId: string, { at, kind, facts }: OperationEvent): Log {
  const [severity, msg] = sentences[kind](facts);
  const { class: failureClass, ...rest } = facts;
  const details = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
  return {
    timestamp: at.toISOString(),
    severity,
    message: {
      msg,
      ...(failureClass === undefined ? {} : { error: String(failureClass) }),
      operation_id: operationId,
      ...(details.length === 0 ? {} : { details: Object.fromEntries(details) }),
    },
  };
}

function answered(beginning: string): (facts: Facts) => readonly [Severity, string] {
  return ({ call, status, class: failureClass }) => {
    const ending = status === undefined ? 'without a status' : `with status ${status}`;
    const meaning = failureClass === undefined ? '' : `, which means ${failureClass}`;
    return [failureClass === undefined ? 'INFO' : 'WARN', `${beginning} call ${call} ${ending}${meaning}.`];
  };
}

function pluralize(count: string | number | undefined, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
