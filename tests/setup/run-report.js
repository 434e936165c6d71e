const { appendFileSync } = require('node:fs');
const path = require('node:path');
const ruleCheck = require('./rule-check');
const securityCheck = require('./security-check');

/** How many suites `slowestLines` names. */
const slowestMax = 20;

/**
 * jest reporter: what a run was, as one JSON line appended to RUN_REPORT_FILE for whoever adds several runs up
 * (deploy/local/bootstrap/test.mjs). Without that variable one line for people: `N passed, N failed` (`, N skipped`).
 */
class RunReport {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, results) {
    const report = reportOf(results, this.rootDir);
    const file = process.env.RUN_REPORT_FILE;
    if (file) appendFileSync(file, `${JSON.stringify(report)}\n`);
    else process.on('exit', () => process.stdout.write(`${closingLine(report.counts)}\n`));
  }
}

/** A suite that could not run counts as a failed test. */
function reportOf(results, rootDir) {
  const counts = {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
  if (results.wasInterrupted) counts.failed = Math.max(counts.failed, 1);
  const passedOf = (suite) => suite.testResults.filter(({ status }) => status === 'passed');
  const passed = results.testResults.flatMap(passedOf);
  const suites = results.testResults.map((suite) => ({
    path: path.relative(rootDir, suite.testFilePath),
    seconds: Math.round((suite.perfStats.runtime ?? 0) / 100) / 10,
    skipped: suite.testResults.filter(({ status }) => status === 'pending' || status === 'todo').length,
    items: [...new Set(passedOf(suite).flatMap(({ fullName }) => securityCheck.itemsOf(fullName)))],
  }));
  return { counts, passedRules: [...new Set(passed.flatMap(({ fullName }) => ruleCheck.ruleIdsOf(fullName)))], suites };
}

/** The line itself, without its line end. */
function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The suites that took longest, and those with tests that did not run: what a run says of its time before its last line. */
function suiteLines(reports) {
  const suites = reports.flatMap((report) => report.suites);
  const slowest = suites.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowestMax);
  return [
    `the slowest ${slowest.length} of ${suites.length} suites:`,
    ...slowest.map(({ seconds, path: name }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`),
    ...suites.filter(({ skipped }) => skipped > 0).map(({ path: name, skipped }) => `${skipped} skipped in ${name}`),
  ];
}

/**
 * The sum of several runs of jest.
 * @param codes exit code of each run that was begun
 * @param reports of each run that came to its end
 * @param expectedRuns how many there should have been
 * @param ruleProblems what the checks of rules and security items found, after all runs; it counts as one test
 * @returns the numbers and the exit code; a run that broke off, failed without a failed test or ran nothing is a failure
 */
function addUp({ codes, reports, expectedRuns, ruleProblems = [] }) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts } of reports) for (const name of Object.keys(total)) total[name] += counts[name];
  const isEmpty = total.passed + total.failed + total.skipped === 0;
  const isBroken = isEmpty || reports.length < expectedRuns || codes.some((code) => code !== 0);
  if (isBroken && total.failed === 0) total.failed = 1;
  if (ruleProblems.length > 0) total.failed += 1;
  return { total, code: total.failed === 0 ? 0 : (codes.find((code) => code !== 0) ?? 1) };
}

module.exports = RunReport;
module.exports.addUp = addUp;
module.exports.closingLine = closingLine;
module.exports.suiteLines = suiteLines;
