import type { ExplainedRecord, OperationExplanation } from '@sluice/types';
import { renderExplanation } from './render-explanation';

// Forms of different length: no two records that failed have the same course.
const record = (index: number, more: Partial<ExplainedRecord>): ExplainedRecord => ({
  index,
  status: 'failed',
  sendState: 'sent',
  configId: 'config-1',
  plan: { objectName: 'contacts', fields: { email: `string(${Math.min(index, 7) + 1})` }, ifEmpty: [], notes: [] },
  ...more,
});
const refused = (index: number, field: string) =>
  record(index, {
    error: { class: 'rejected', message: 'said' },
    problems: [{ field, code: 'INVALID', message: `value ${index} of ${field} is invalid` }],
  });

const explanation: OperationExplanation = {
  operation: { id: 'op-1', status: 'failure', resource: 'contacts', createTime: '2026-11-22T12:01:44.000Z' } as never,
  provider: 'hubspot',
  type: 'create',
  mode: 'asynchronous',
  calls: [],
  records: [
    ...[0, 1, 2, 3, 4].map((index) => refused(index, 'email')),
    refused(5, 'phone'),
    refused(6, 'email'),
    ...[7, 8, 9, 10].map((index) => record(index, { status: 'succeeded', recordId: `r-${index}` })),
  ],
  pagination: { done: true },
};
const titlesOf = (text: string) =>
  [...text.matchAll(/^(?:Record|\d+ (?:more )?records?)[^\n]*$/gm)].map(([title]) => title.split(',')[0]);

it('shows the first three records with equal problems, and says how all are shown', () => {
  const text = renderExplanation(explanation);
  expect(titlesOf(text)).toEqual([
    'Record 0',
    'Record 1',
    'Record 2',
    '3 more records with the same problem: 3-4',
    'Record 5',
    '4 records: 7-10',
  ]);
  expect(text).toContain('3 more records with the same problem: 3-4, 6\n  Each: sluice op explain op-1 --all\n');
});

it('shows each on demand', () => {
  const each = [0, 1, 2, 3, 4, 6, 5].map((index) => `Record ${index}`);
  expect(titlesOf(renderExplanation(explanation, true))).toEqual([...each, '4 records: 7-10']);
});
