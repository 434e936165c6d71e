import { addUp, closingLine, suiteLines } from './run-report';

describe('closingLine', () => {
  it('names skipped tests only when there are any', () => {
    expect(closingLine({ passed: 3, failed: 1, skipped: 0 })).toBe('3 passed, 1 failed');
    expect(closingLine({ passed: 3, failed: 0, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped');
  });
});

describe('addUp', () => {
  const reports = [{ counts: { passed: 5, failed: 0, skipped: 1 } }, { counts: { passed: 2, failed: 0, skipped: 0 } }];

  it('adds the runs', () => {
    const sum = addUp({ codes: [0, 0], reports, expectedRuns: 2 });
    expect(sum).toEqual({ total: { passed: 7, failed: 0, skipped: 1 }, code: 0 });
  });

  it('is a failure when a run broke off before its end', () => {
    expect(addUp({ codes: [0, 137], reports: reports.slice(0, 1), expectedRuns: 2 })).toMatchObject({
      total: { failed: 1 },
      code: 137,
    });
  });

  it('is a failure when jest failed without a failed test', () => {
    expect(addUp({ codes: [0, 1], reports, expectedRuns: 2 })).toMatchObject({ total: { failed: 1 }, code: 1 });
  });

  it('is a failure when every test passed and a rule has none', () => {
    const sum = addUp({ codes: [0, 0], reports, expectedRuns: 2, ruleProblems: ['a.b: no test', 'a.c: no test'] });
    expect(sum).toEqual({ total: { passed: 7, failed: 1, skipped: 1 }, code: 1 });
    expect(addUp({ codes: [0, 0], reports, expectedRuns: 2, ruleProblems: [] }).code).toBe(0);
  });

  it('is a failure when nothing ran', () => {
    const none = { counts: { passed: 0, failed: 0, skipped: 0 } };
    expect(addUp({ codes: [0, 0], reports: [none, none], expectedRuns: 2 })).toMatchObject({
      total: { failed: 1 },
      code: 1,
    });
  });
});

describe('suiteLines', () => {
  it('names the slowest suites first, and those with tests that did not run', () => {
    const counts = { passed: 1, failed: 0, skipped: 0 };
    const quick = { path: 'quick.test.ts', seconds: 0.4, skipped: 0 };
    const slow = { path: 'slow.test.ts', seconds: 61, skipped: 2 };
    expect(
      suiteLines([
        { counts, suites: [quick] },
        { counts, suites: [slow] },
      ]),
    ).toEqual([
      'the slowest 2 of 2 suites:',
      '   61.0 s  slow.test.ts',
      '    0.4 s  quick.test.ts',
      '2 skipped in slow.test.ts',
    ]);
  });
});
