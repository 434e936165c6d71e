import type { Operation } from '@sluice/types';
import { causeFirst } from '../format';
import { Waiting } from './waiting';

/** On one line: how an operation ended, or what it waits for. */
export function OperationResult({ operation: { result, waiting, status } }: { readonly operation: Operation }) {
  if (waiting !== undefined) return <Waiting of={waiting} />;
  return <>{result === undefined ? (status === 'in_progress' ? 'Being sent' : '') : causeFirst(result)}</>;
}
