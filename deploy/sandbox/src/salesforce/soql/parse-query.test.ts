import { SalesforceError } from '../errors';
import { parseQuery } from './parse-query';

/** The first literal of a query with this condition. */
const literal = (condition: string) =>
  parseQuery(`SELECT Id FROM Contact WHERE ${condition}`).where.flatMap(({ literals }) => literals)[0];

function refusal(soql: string): SalesforceError {
  try {
    parseQuery(soql);
  } catch (error) {
    if (error instanceof SalesforceError) return error;
  }
  throw new Error(`accepted: ${soql}`);
}

it.each([
  [String.raw`Name = 'O\'Brien'`, "O'Brien"],
  [String.raw`Name = 'a\\b'`, String.raw`a\b`],
  [String.raw`Name = 'a\nb\rc\td'`, 'a\nb\rc\td'],
  [String.raw`Name = 'a\bb\ff\"'`, 'a\bb\ff"'],
  [String.raw`Name = '\u00e9\u4E2D'`, 'é中'],
  [String.raw`Name = 'x\\\' OR Name != \''`, String.raw`x\' OR Name != '`],
  ["Name = 'Łucja ?=&%_'", 'Łucja ?=&%_'],
  ["Name = ''", ''],
])('reads the literal of %s', (condition, value) => {
  expect(literal(condition)).toEqual({ kind: 'string', value });
});

it.each<[string, string, string]>([
  [
    'an escape that SOQL lacks',
    String.raw`Name = 'a\q'`,
    String.raw`Illegal character sequence '\q' in string literal`,
  ],
  ['half a code point', String.raw`Name = '\u12'`, String.raw`Illegal character sequence '\u' in string literal`],
  ['a quote that is not escaped', "Name = 'O'Brien'", "expecting a single quote, found '<EOF>'"],
  ['a backslash that eats the quote', String.raw`Name = 'a\'`, "expecting a single quote, found '<EOF>'"],
  ['a line break', "Name = 'a\nb'", 'line breaks not allowed in string literals'],
  ['a string without quotes', 'Name = Brien', "unexpected token: 'Brien'"],
  ['two literals', "Name = 'a' 'b'", "unexpected token: 'b'"],
  ['a tail after the literal', "Name = 'a' OR 1 = 1", "unexpected token: 'OR'"],
  ['a number with letters', 'Score__c = 12abc', "unexpected token: '12a'"],
  ['a comment', "Name = 'a' --", "unexpected char: '-'"],
  ['a second statement', "Name = 'a'; DELETE", "unexpected char: ';'"],
  ['an empty list', 'Name IN ()', "unexpected token: ')'"],
])('refuses %s', (_name, condition, message) => {
  const { status, problems } = refusal(`SELECT Id FROM Contact WHERE ${condition}`);
  expect([status, problems]).toEqual([400, [{ code: 'MALFORMED_QUERY', message }]]);
});

it('refuses a query that is too long', () => {
  expect(refusal(`SELECT Id FROM Contact WHERE Name = '${'x'.repeat(100_000)}'`).message).toContain('too long');
});
