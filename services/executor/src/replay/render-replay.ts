import type { OperationExport } from '@sluice/types';
import { counted, type Replayed } from './replay-operation';

/** What was decided again, a line for each decision. */
export function renderReplay(exported: OperationExport, { steps }: Replayed): string {
  const { operationId, mode, type, provider, records, status } = exported;
  const width = Math.max(0, ...steps.map(({ title }) => title.length));
  const others = steps.filter(({ differs }) => differs !== undefined).length;
  return [
    `Operation ${operationId}: ${mode} ${type} at ${provider}, ${counted(records.length, 'record')}, ${status}`,
    ...steps.map(({ title, text, differs }) => {
      return `  ${title.padEnd(width)}  ${text}${differs === undefined ? '' : `\n  ${' '.repeat(width)}  DIFFERS: recorded is ${differs}`}`;
    }),
    others === 0
      ? `${counted(steps.length, 'decision')}, ${steps.length === 1 ? 'as' : 'each as'} recorded.`
      : `${counted(steps.length, 'decision')}, ${others} not as recorded.`,
  ].join('\n');
}
