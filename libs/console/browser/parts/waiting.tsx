import { pluralize, type OperationWait } from '@sluice/types';
import { fromNow, inFull } from '../format';

/** Why a write has not been sent, on one line. */
export function Waiting({ of }: { readonly of: OperationWait }) {
  const { until, since } = of;
  const moment = until ?? since;
  return <span title={moment === undefined ? undefined : inFull(moment)}>{phraseOf(of)}</span>;
}

function phraseOf({ reason, provider, until = '', since = '', records = 0, status }: OperationWait): string {
  switch (reason) {
    case 'batch':
      return `Batch of ${pluralize(records, 'record')}, sent when full or ${fromNow(until)}`;
    case 'credentials':
      return `Waits for new credentials: ${provider} has refused them for ${fromNow(since).replace(' ago', '')}`;
    case 'block':
      return `Waits for a block by ${provider}, which ends ${fromNow(until)}`;
    case 'provider':
      return `Waits for ${provider}, which ${status === undefined ? 'does not answer' : `answers ${status}`}; tried again ${fromNow(until)}`;
    case 'retry':
      return `Waits for its next attempt, ${fromNow(until)}`;
    case 'lookup':
      return 'Was sent; what became of it is being looked up';
    case 'order':
      return 'Waits for an earlier write to the same record';
    case 'quota':
      return `Waits for quota: the limit of the ${provider} account is used up`;
    case 'turn':
  }
  return 'Waits for its turn in the lane';
}
