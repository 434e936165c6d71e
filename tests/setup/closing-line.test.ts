import { addUp, closingLine } from './closing-line';

describe('closingLine', () => {
  it('names skipped tests only when there are any', () => {
    expect(closingLine({ passed: 3, failed: 1, skipped: 0 })).toBe('3 passed, 1 failed');
    expect(closingLine({ passed: 3, failed: 0, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped');
  });
});

describe('addUp', () => {
  const counts = [
    { passed: 5, failed: 0, skipped: 1 },
    { passed: 2, failed: 0, skipped: 0 },
  ];

  it('adds the runs', () => {
    const sum = addUp({ codes: [0, 0], counts, expectedRuns: 2 });
    expect(sum).toEqual({ total: { passed: 7, failed: 0, skipped: 1 }, code: 0 });
  });

  it('is a failure when a run broke off before its end', () => {
    expect(addUp({ codes: [0, 137], counts: counts.slice(0, 1), expectedRuns: 2 })).toMatchObject({
      total: { failed: 1 },
      code: 137,
    });
  });

  it('is a failure when jest failed without a failed test', () => {
    expect(addUp({ codes: [0, 1], counts, expectedRuns: 2 })).toMatchObject({ total: { failed: 1 }, code: 1 });
  });

  it('is a failure when every test passed and a rule has none', () => {
    const sum = addUp({ codes: [0, 0], counts, expectedRuns: 2, ruleProblems: ['a.b: no test', 'a.c: no test'] });
    expect(sum).toEqual({ total: { passed: 7, failed: 1, skipped: 1 }, code: 1 });
    expect(addUp({ codes: [0, 0], counts, expectedRuns: 2, ruleProblems: [] }).code).toBe(0);
  });

  it('is a failure when nothing ran', () => {
    const none = { passed: 0, failed: 0, skipped: 0 };
    expect(addUp({ codes: [0, 0], counts: [none, none], expectedRuns: 2 })).toMatchObject({
      total: { failed: 1 },
      code: 1,
    });
  });
});
