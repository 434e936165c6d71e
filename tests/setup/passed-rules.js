const { appendFileSync } = require('node:fs');
const ruleCheck = require('./rule-check');

/**
 * jest reporter: the rule ids in the titles of tests that passed, a JSON list for each run of jest, appended to
 * PASSED_RULES_FILE for whoever compares them with the list of rules (deploy/local/bootstrap/test.mjs). Without it: nothing.
 */
class PassedRules {
  onRunComplete(_contexts, { testResults }) {
    const file = process.env.PASSED_RULES_FILE;
    if (file) appendFileSync(file, `${JSON.stringify(passedIds(testResults))}\n`);
  }
}

function passedIds(testResults) {
  const tests = testResults.flatMap((suite) => suite.testResults).filter(({ status }) => status === 'passed');
  return [...new Set(tests.flatMap(({ fullName }) => ruleCheck.ruleIdsOf(fullName)))];
}

module.exports = PassedRules;
