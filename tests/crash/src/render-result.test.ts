import type { Verdict } from '../../faults/harness/verdict';
import { renderResult, type CrashTestResult } from './render-result';

const whole: Verdict = {
  accepted: 1_990,
  unknown: 8,
  refused: 2,
  labelled: 0,
  lost: 0,
  duplicates: 0,
  keyed: 0,
  nonTerminal: 0,
  falseSuccess: 0,
  falseFailure: 0,
  failed: 0,
  batch: 0,
  order: 0,
  crosstalk: 0,
  transitions: 0,
  notFound: 0,
  blocked: 0,
  secrets: 0,
  deadlineErrorMs: 12,
  recoveryMs: 41_230,
  overdueMs: 4_180,
  examples: ['a record'],
};
const deletion = { service: 'executor', pod: 'executor-a', isForced: true, answered: 5 };
const result = (more: Partial<CrashTestResult> = {}): CrashTestResult => ({
  verdict: whole,
  ledger: { statuses: new Map([[200, 1_990]]), startedAtMs: 0, endedAtMs: 40_000 },
  wanted: 2,
  deletions: [deletion, deletion],
  ...more,
});

it('says in its first line what was proven', () => {
  const { lines, isHeld } = renderResult(result());
  expect(lines[0]).toBe(
    '1990 accepted, 0 lost, 0 duplicate, recovery 4.2 s (41.2 s with what open batches had to wait)',
  );
  expect(lines[1]).toBe('pods deleted: 2 (executor 2)');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ lost: 0, endedAt: '1970-01-01T00:00:40.000Z' });
  expect(isHeld).toBe(true);
});

it.each<[string, Partial<CrashTestResult>, RegExp]>([
  ['a lost write', { verdict: { ...whole, lost: 1 } }, /^BROKEN: lost: 1, must be 0$/m],
  ['a doubled one', { verdict: { ...whole, duplicates: 2 } }, /^BROKEN: duplicates: 2/m],
  ['a load of which nothing was accepted', { verdict: { ...whole, accepted: 0 } }, /nothing was accepted/],
  ['a crash that did not happen', { deletions: [deletion] }, /^BROKEN: only 1 of 2 pods were deleted$/m],
  [
    'a failed request where no pod was deleted',
    {
      wanted: 0,
      deletions: [],
      ledger: {
        ...result().ledger,
        statuses: new Map([
          [200, 5],
          [-1, 1],
        ]),
      },
    },
    /reply lost 1x\nBROKEN: 1 requests failed although no pod was deleted$/m,
  ],
])('does not hold with %s, and names it', (_what, more, sentence) => {
  const { lines, isHeld } = renderResult(result(more));
  expect(lines.join('\n')).toMatch(sentence);
  expect(isHeld).toBe(false);
});

it('shows the details of failed requests, where none may fail', () => {
  const ledger = { ...result().ledger, statuses: new Map([[502, 1]]) };
  const failures = ['failed: 502 at …', '  operation o1: []'];
  const { lines } = renderResult(result({ wanted: 0, deletions: [], ledger, failures }));
  expect(lines.slice(-3, -1)).toEqual(failures);
  expect(renderResult(result({ failures })).lines).not.toEqual(expect.arrayContaining(failures));
});

it('allows lost replies where pods were deleted', () => {
  const ledger = {
    ...result().ledger,
    statuses: new Map([
      [200, 5],
      [-1, 1],
      [0, 2],
    ]),
  };
  expect(renderResult(result({ ledger })).isHeld).toBe(true);
});
