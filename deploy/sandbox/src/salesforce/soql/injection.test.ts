import { seededRandom } from '../../control/derived';
import { SalesforceError } from '../errors';
import { parseQuery, type Condition } from './parse-query';

/** What an attacker would put into a value: everything that ends, hides or continues a literal. */
const pieces = [
  "'",
  '\\',
  "\\'",
  "' OR Id != '",
  '\\u0027',
  '\n',
  ')',
  '%',
  '_',
  'a',
  'é',
  '中',
  '--',
  ' LIMIT 1',
  '\\\\',
];

const random = seededRandom(4);
const values = Array.from({ length: 3000 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 8) }, () => pieces[Math.floor(random() * pieces.length)]).join(''),
);

const where = (literal: string): Condition | undefined =>
  parseQuery(`SELECT Id FROM Contact WHERE LastName = '${literal}'`).where;

/** The escaping that Salesforce's reference asks for: the backslash first, then the quote; line breaks by their letter. */
const escaped = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`);

it('reads an escaped value back as it was, whatever it holds', () => {
  for (const value of values) {
    const condition = where(escaped(value));
    expect(condition).toMatchObject({ kind: 'compare', operator: '=', literals: [{ kind: 'string', value }] });
  }
});

it('notices when only quotes are escaped: a backslash in front of one sets it free', () => {
  const quotesOnly = (value: string): string => value.replaceAll("'", String.raw`\'`);
  const outcomes = values.map((value) => {
    try {
      const condition = where(quotesOnly(value));
      return (
        condition?.kind === 'compare' && condition.literals.some((one) => one.kind === 'string' && one.value === value)
      );
    } catch (error) {
      if (error instanceof SalesforceError) return false;
      throw error;
    }
  });
  const withBackslash = values.filter((value) => value.includes('\\'));
  expect(withBackslash.length).toBeGreaterThan(1000);
  // Each value that holds a backslash is refused or read as something else; none arrives as it was meant.
  expect(values.filter((value, index) => outcomes[index] && value.includes('\\'))).toEqual([]);
});
