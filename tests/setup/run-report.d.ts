/** Types of `run-report.js` for its test. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
interface Report {
  readonly counts: Counts;
  readonly suites?: readonly { readonly path: string; readonly seconds: number; readonly skipped: number }[];
}
interface Runs {
  readonly codes: readonly number[];
  readonly reports: readonly Report[];
  readonly expectedRuns: number;
  readonly ruleProblems?: readonly string[];
}
declare const runReportModule: {
  addUp(runs: Runs): { total: Counts; code: number };
  closingLine(counts: Counts): string;
  suiteLines(reports: readonly Report[]): string[];
};
export = runReportModule;
