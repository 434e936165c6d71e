const fs = require('node:fs');
const path = require('node:path');
const { fullOnly } = require('../tiers');

/**
 * Every row of `tests/security/ITEMS.md` names the suites that test it, and their titles carry its mark: `[sec-12]`. Here the marks of the tests
 * that passed are compared with the rows, so that a test that was skipped, or has gone, is missed.
 */

const markInTitle = /\[sec-(\d+)\]/g;

/** The items that a test's full title carries. @returns numbers */
function itemsOf(title) {
  return [...title.matchAll(markInTitle)].map(([, id]) => Number(id));
}

/** Rows of the tables: `| 28 | what is kept | `file` ... |`. @returns `{ id, files }` each */
function rowsOf(page) {
  return page.split('\n').flatMap((line) => {
    const [, id, , tests] = /^\| *(\d+) *\|(.*)\|(.*)\|$/.exec(line) ?? [];
    if (id === undefined) return [];
    return [{ id: Number(id), files: [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file) }];
  });
}

/** The rows of a checkout. @param root its folder */
function readItems(root) {
  return rowsOf(fs.readFileSync(path.join(root, 'tests', 'security', 'ITEMS.md'), 'utf8'));
}

/**
 * What is wrong after a tier has run, one sentence each.
 * @param items rows of the checklist @param tier guard or full @param passed `{ path, items }` of each suite with a test that passed
 */
function checkItems({ items, tier, passed }) {
  const isOfTier = (file) => fullOnly.some((part) => file.includes(part)) === (tier === 'full');
  const marks = new Map(passed.map((suite) => [suite.path, new Set(suite.items)]));
  const missing = items.flatMap(({ id, files }) =>
    files
      .filter((file) => isOfTier(file) && !marks.get(file)?.has(id))
      .map((file) => `${id}: no test with the mark [sec-${id}] passed in ${file}`),
  );
  const known = new Set(items.map(({ id }) => id));
  const gaps = Array.from({ length: Math.max(...known) }, (_, at) => at + 1).filter((id) => !known.has(id));
  const unknown = passed.flatMap((suite) =>
    suite.items
      .filter((id) => !known.has(id))
      .map((id) => `${id}: stands in a title of ${suite.path} and not in ITEMS.md`),
  );
  return [...missing, ...unknown, ...gaps.map((id) => `${id}: has no row in ITEMS.md`)];
}

module.exports = { itemsOf, readItems, checkItems };
