/** Types of `closing-line.js` for its test. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
interface Runs {
  readonly codes: readonly number[];
  readonly counts: readonly Counts[];
  readonly expectedRuns: number;
  readonly ruleProblems?: readonly string[];
}
declare const closingLineModule: {
  addUp(runs: Runs): { total: Counts; code: number };
  closingLine(counts: Counts): string;
};
export = closingLineModule;
