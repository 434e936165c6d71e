import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRuleList, checkRules, readRules, ruleIdsOf, rulingSubjectsOf } from './rule-check';

const rule = (id: string, more: object = {}) => ({ id, section: 'Limits', rule: 'one to two', kind: 'limit', ...more });
const rulings = new Set(['`mode` omitted', 'errors']);

describe('ruleIdsOf', () => {
  // The samples stay out of the titles: there they would count.
  it('takes ids in brackets', () => {
    expect(ruleIdsOf('accepts 100 [limits.sample]')).toEqual(['limits.sample']);
    expect(ruleIdsOf('[write.sample-3] [limits.size] groups')).toEqual(['write.sample-3', 'limits.size']);
    expect(ruleIdsOf('names batch[0].record.id and ["a.b"] and [body] and [A.b]')).toEqual([]);
  });
});

it('rulingSubjectsOf takes the bold subject at the beginning of each entry', () => {
  const page =
    '# Rulings: x\n\n- **`mode` omitted**: synchronous: **always**.\n  More of it.\n- **errors**: as said.\n- none\n';
  expect(rulingSubjectsOf(page)).toEqual(['`mode` omitted', 'errors']);
});

describe('checkRuleList', () => {
  it('takes rules, points that a ruling decides, and rules that wait', () => {
    const rules = [
      rule('a.b'),
      rule('a.c', { kind: 'silent', ruling: 'errors' }),
      rule('a.d', { waitsFor: 6, reason: 'r' }),
    ];
    expect(checkRuleList(rules, rulings)).toEqual([]);
  });

  it.each([
    ['an id twice', [rule('a.b'), rule('a.b')], 'a.b: is in rules.json twice'],
    ['no id', [rule('A b')], 'A b: is no id: words in lower case with dots between them'],
    ['no text', [rule('a.b', { rule: '' })], 'a.b: needs a section and a rule'],
    ['an unknown kind', [rule('a.b', { kind: 'x' })], 'a.b: kind must be one of rule, cell, transition, limit, silent'],
    ['a ruling that is gone', [rule('a.b', { kind: 'silent', ruling: 'x' })], 'a.b: docs/rulings has no entry "x"'],
    ['silence without a ruling', [rule('a.b', { kind: 'silent' })], 'a.b: kind "silent" and a ruling belong together'],
    ['a wait without a reason', [rule('a.b', { waitsFor: 6 })], 'a.b: waitsFor and reason belong together'],
  ])('finds %s', (_case, rules, problem) => {
    expect(checkRuleList(rules, rulings)).toEqual([problem]);
  });
});

describe('checkRules', () => {
  const rules = [
    rule('a.one'),
    rule('a.two'),
    rule('a.ruled', { kind: 'silent', ruling: 'errors' }),
    rule('a.later', { waitsFor: 6, reason: 'r' }),
  ];
  const check = (passedIds: string[], isWhole = true) => checkRules({ rules, rulings, passedIds, isWhole });

  it('is content when each rule has a test that passed', () => {
    expect(check(['a.one', 'a.two', 'a.two'])).toEqual({
      line: 'rules: 2 of 2 have a test that ran (1 ruled by docs/rulings; 1 wait for a later issue)',
      problems: [],
    });
  });

  it('names a rule without a test that passed', () => {
    const { line, problems } = check(['a.one']);
    expect(line).toMatch(/^rules: 1 of 2 have/);
    expect(problems).toEqual(['a.two: no test passed for "one to two"']);
  });

  it('names an id that no rule has, also when a part of the tests ran', () => {
    const problem = "a.three: stands in a test's title and not in rules.json";
    expect(check(['a.one', 'a.two', 'a.three']).problems).toEqual([problem]);
    expect(check(['a.three'], false).problems).toEqual([problem]);
  });

  it('names a rule that waits although it has a test', () => {
    expect(check(['a.one', 'a.two', 'a.later']).problems).toEqual([
      'a.later: has a test, so it waits for nothing: remove waitsFor',
    ]);
  });

  it('misses nothing when a part of the tests was asked for', () => {
    const { line, problems } = check(['a.one'], false);
    expect(problems).toEqual([]);
    expect(line).toContain('a part of the tests');
  });
});

// What `npm run check` can check before the long run: the list is sound, and each of its ids stands in a test file.
describe('rules.json', () => {
  const root = join(__dirname, '..', '..');
  const { rules, rulings: subjects } = readRules(root);

  it('is sound', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(checkRuleList(rules, subjects)).toEqual([]);
  });

  it('has a title for each rule that is due', () => {
    const files = globSync('{libs,services,deploy,tests}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });
    const written = new Set(files.flatMap((file) => ruleIdsOf(readFileSync(join(root, file), 'utf8'))));
    const due = rules.filter(({ ruling, waitsFor }) => ruling === undefined && waitsFor === undefined);
    expect(due.map(({ id }) => id).filter((id) => !written.has(id))).toEqual([]);
  });
});
