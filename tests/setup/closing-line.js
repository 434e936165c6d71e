const { appendFileSync } = require('node:fs');

/**
 * jest reporter: one line for people and for CI, `N passed, N failed` (`, N skipped` when there are any). A suite that
 * could not run counts as a failed test. With CLOSING_LINE_FILE the numbers go there instead, a JSON line for each run of
 * jest, for whoever adds several runs up.
 */
class ClosingLine {
  constructor() {
    this.file = process.env.CLOSING_LINE_FILE;
  }

  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    if (results.wasInterrupted) counts.failed = Math.max(counts.failed, 1);
    if (this.file) appendFileSync(this.file, `${JSON.stringify(counts)}\n`);
    else process.on('exit', () => process.stdout.write(`${closingLine(counts)}\n`));
  }
}

/** The line itself, without its line end. */
function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * The sum of several runs of jest.
 * @param codes exit code of each run that was begun
 * @param counts numbers of each run that came to its end
 * @param expectedRuns how many there should have been
 * @param ruleProblems what the rule check found, after all runs; it counts as one test
 * @returns the numbers and the exit code; a run that broke off, failed without a failed test or ran nothing is a failure
 */
function addUp({ codes, counts, expectedRuns, ruleProblems = [] }) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const count of counts) for (const name of Object.keys(total)) total[name] += count[name];
  const isEmpty = total.passed + total.failed + total.skipped === 0;
  const isBroken = isEmpty || counts.length < expectedRuns || codes.some((code) => code !== 0);
  if (isBroken && total.failed === 0) total.failed = 1;
  if (ruleProblems.length > 0) total.failed += 1;
  return { total, code: total.failed === 0 ? 0 : (codes.find((code) => code !== 0) ?? 1) };
}

module.exports = ClosingLine;
module.exports.addUp = addUp;
module.exports.closingLine = closingLine;
