import { pluralize, type OperationWait } from '@sluice/types';
import { fromNow, inFull } from '../format';

/** Why a write has not been sent, on one line. */
export function Waiting({ of }: { readonly of: OperationWait }) {
  const { until, since } = of;
  const moment = until ?? since;
  const phrase = phraseOf(of);
  return <span title={moment === undefined ? phrase : `${phrase} (${inFull(moment)})`}>{phrase}</span>;
}

function phraseOf({ reason, provider, until = '', since = '', records = 0, status }: OperationWait): string {
  switch (reason) {
    case 'batch':
      return `Batch of ${pluralize(records, 'record')}, sent when full or ${fromNow(until)}`;
    case 'credentials':
      return `Held: ${provider} has refused the credentials for ${fromNow(since).replace(' ago', '')}. Connect the customer again`;
    case 'block':
      return `Blocked by ${provider}, sent ${fromNow(until)}`;
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
