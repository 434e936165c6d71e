const fs = require('node:fs');
const path = require('node:path');

/**
 * Every rule of the specification has an id in `tests/acceptance/rules.json`, and every id stands in the title of a test
 * that ran: `[write.rule-3]`. What such a list needs to be true is checked here; `npm test` fails with what is found.
 */

const kinds = ['rule', 'cell', 'transition', 'limit', 'silent'];
const idForm = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$/;
const idInTitle = /\[([a-z][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+)\]/g;

/** The ids that a test's full title carries, as in `accepts 100 [limits.batch]`. */
function ruleIdsOf(title) {
  return [...title.matchAll(idInTitle)].map(([, id]) => id);
}

/** The subjects of a page of `docs/rulings`: what stands in bold at the beginning of each entry. */
function rulingSubjectsOf(page) {
  return [...page.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, subject]) => subject);
}

/**
 * What is wrong with the list itself, one sentence each.
 * @param rules entries of rules.json @param rulings subjects of docs/rulings
 */
function checkRuleList(rules, rulings) {
  const ids = rules.map(({ id }) => id);
  return [
    ...new Set(ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: is in rules.json twice`)),
    ...rules.flatMap((rule) => checkEntry(rule, rulings).map((problem) => `${rule.id}: ${problem}`)),
  ];
}

function checkEntry({ id, section, rule, kind, ruling, waitsFor, reason }, rulings) {
  const problems = [];
  if (!idForm.test(id)) problems.push('is no id: words in lower case with dots between them');
  if (!section || !rule) problems.push('needs a section and a rule');
  if (!kinds.includes(kind)) problems.push(`kind must be one of ${kinds.join(', ')}`);
  if ((kind === 'silent') !== (ruling !== undefined)) problems.push('kind "silent" and a ruling belong together');
  if (ruling !== undefined && !rulings.has(ruling)) problems.push(`docs/rulings has no entry "${ruling}"`);
  if ((waitsFor === undefined) !== (reason === undefined)) problems.push('waitsFor and reason belong together');
  return problems;
}

/**
 * Compares the list with the tests that passed.
 * @param passedIds ids in the titles of passed tests
 * @param isWhole false when only a part of the tests was asked for: then nothing can be missing
 * @returns one line for people, and what is wrong, one sentence each
 */
function checkRules({ rules, rulings, passedIds, isWhole }) {
  const passed = new Set(passedIds);
  const known = new Set(rules.map(({ id }) => id));
  const due = rules.filter(({ ruling, waitsFor }) => ruling === undefined && waitsFor === undefined);
  const missing = due.filter(({ id }) => !passed.has(id));
  const problems = [
    ...checkRuleList(rules, rulings),
    ...[...passed].filter((id) => !known.has(id)).map((id) => `${id}: stands in a test's title and not in rules.json`),
    ...rules
      .filter(({ id, waitsFor }) => waitsFor !== undefined && passed.has(id))
      .map(({ id }) => `${id}: has a test, so it waits for nothing: remove waitsFor`),
    ...(isWhole ? missing.map(({ id, rule }) => `${id}: no test passed for "${rule}"`) : []),
  ];
  return { line: summary({ rules, due, missing, isWhole }), problems };
}

function summary({ rules, due, missing, isWhole }) {
  const ruled = rules.filter(({ ruling }) => ruling !== undefined).length;
  const rest = [
    ...(ruled > 0 ? [`${ruled} ruled by docs/rulings`] : []),
    ...(rules.length > due.length + ruled ? [`${rules.length - due.length - ruled} wait for a later issue`] : []),
    ...(isWhole ? [] : ['a part of the tests: none is asked for']),
  ];
  const more = rest.length > 0 ? ` (${rest.join('; ')})` : '';
  return `rules: ${due.length - missing.length} of ${due.length} have a test that ran${more}`;
}

/** The list and the rulings of a checkout. @param root its folder */
function readRules(root) {
  return {
    rules: JSON.parse(fs.readFileSync(path.join(root, 'tests', 'acceptance', 'rules.json'), 'utf8')),
    rulings: new Set(pagesOf(path.join(root, 'docs', 'rulings')).flatMap(rulingSubjectsOf)),
  };
}

function pagesOf(folder) {
  return fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
}

module.exports = { ruleIdsOf, checkRules, readRules };
