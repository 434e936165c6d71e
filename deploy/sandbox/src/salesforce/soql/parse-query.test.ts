import { SalesforceError } from '../errors';
import { parseQuery } from './parse-query';

const where = (condition: string) => parseQuery(`SELECT Id FROM Contact WHERE ${condition}`).where;

/** The first literal of a condition with one comparison. */
function literal(condition: string) {
  const parsed = where(condition);
  return parsed?.kind === 'compare' ? parsed.literals[0] : undefined;
}

function refusal(soql: string): SalesforceError {
  try {
    parseQuery(soql);
  } catch (error) {
    if (error instanceof SalesforceError) return error;
  }
  throw new Error(`accepted: ${soql}`);
}

it('reads every clause, keywords in any case', () => {
  const query = parseQuery(
    "select Id, Account.Name, FIELDS(custom)\nfrom Contact where LastName = 'x' order by LastName desc nulls last, Id limit 10 offset 20",
  );
  expect(query).toMatchObject({
    select: [
      { kind: 'field', name: { text: 'Id' } },
      { kind: 'field', name: { text: 'Account.Name' } },
      { kind: 'group', group: 'CUSTOM' },
    ],
    from: { text: 'Contact' },
    where: { kind: 'compare', operator: '=' },
    orderBy: [
      { name: { text: 'LastName' }, descending: true, nullsFirst: false },
      { name: { text: 'Id' }, descending: false, nullsFirst: true },
    ],
    limit: 10,
    offset: 20,
  });
});

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
  expect(literal(condition)).toMatchObject({ kind: 'string', value });
});

it.each([
  ['a', 'a%', true],
  ['abc', 'a%', true],
  ['ABC', 'a_c', true],
  ['abbc', 'a_c', false],
  ['a%', String.raw`a\%`, true],
  ['ab', String.raw`a\%`, false],
  ['a_b', String.raw`a\_b`, true],
  ['axb', String.raw`a\_b`, false],
  ['a.b', 'a.b', true],
  ['axb', 'a.b', false],
  ['a\nb', 'a%b', true],
])('LIKE: %j meets %j: %s', (text, pattern, expected) => {
  const found = literal(`Name LIKE '${pattern}'`);
  expect(found?.kind === 'string' && found.pattern?.test(text)).toBe(expected);
});

it.each([
  ['true', { kind: 'boolean', value: true }],
  ['FALSE', { kind: 'boolean', value: false }],
  ['null', { kind: 'null' }],
  ['-12.5', { kind: 'number', value: '-12.5' }],
  ['2026-01-31', { kind: 'date', value: '2026-01-31' }],
  ['2026-01-31T10:00:00Z', { kind: 'datetime', value: '2026-01-31T10:00:00Z' }],
  ['2026-01-31T10:00:00.000+01:00', { kind: 'datetime', value: '2026-01-31T10:00:00.000+01:00' }],
])('reads the literal %s', (text, expected) => {
  expect(literal(`X = ${text}`)).toMatchObject(expected);
});

it.each<[string, string, string]>([
  [
    'an escape that SOQL lacks',
    String.raw`Name = 'a\q'`,
    String.raw`Illegal character sequence '\q' in string literal`,
  ],
  ['an escaped wildcard outside LIKE', String.raw`Name = 'a\%'`, String.raw`Illegal character sequence '\%'`],
  ['half a code point', String.raw`Name = '\u12'`, String.raw`Illegal character sequence '\u' in string literal`],
  ['a quote that is not escaped', "Name = 'O'Brien'", "expecting a single quote, found '<EOF>'"],
  ['a backslash that eats the quote', String.raw`Name = 'a\'`, "expecting a single quote, found '<EOF>'"],
  ['an open string', "Name = 'a", "expecting a single quote, found '<EOF>'"],
  ['a line break', "Name = 'a\nb'", 'line breaks not allowed in string literals'],
  ['a string without quotes', 'Name = Brien', "unexpected token: 'Brien'"],
  ['two literals', "Name = 'a' 'b'", "unexpected token: 'b'"],
  ['a tail after the literal', "Name = 'a' OR 1 = 1", "unexpected token: '1'"],
  ['a number with letters', 'Score__c = 12abc', "unexpected token: '12a'"],
  ['a comment', "Name = 'a' --", "unexpected char: '-'"],
  ['a second statement', "Name = 'a'; DELETE", "unexpected char: ';'"],
  ['no value', 'Name =', "unexpected token: '<EOF>'"],
  ['no operator', "Name 'a'", "unexpected token: 'a'"],
  ['IN without a list', "Name IN 'a'", "unexpected token: 'a'"],
  ['an empty list', 'Name IN ()', "unexpected token: ')'"],
  ['an open parenthesis', "(Name = 'a'", "unexpected token: '<EOF>'"],
  ['AND and OR on one level', "A = 'a' AND B = 'b' OR C = 'c'", "unexpected token: 'OR'"],
  ['a date word', 'CreatedDate = TODAY', "unexpected token: 'TODAY'"],
])('refuses %s', (_name, condition, message) => {
  const { status, problems } = refusal(`SELECT Id FROM Contact WHERE ${condition}`);
  expect([status, problems[0]?.code]).toEqual([400, 'MALFORMED_QUERY']);
  expect(problems[0]?.message).toContain(message);
  expect(problems[0]?.message).toMatch(/\n *\^\nERROR at Row:\d+:Column:\d+\n/);
});

it.each([
  '',
  'SELECT',
  'SELECT Id',
  'SELECT FROM Contact',
  'SELECT Id, FROM Contact',
  'SELECT Id Name FROM Contact',
  'SELECT * FROM Contact',
  'SELECT Id FROM Contact WHERE',
  'SELECT Id FROM Contact LIMIT -1',
  'SELECT Id FROM Contact LIMIT x',
  'SELECT Id FROM Contact OFFSET 1 LIMIT 1',
  'SELECT Id FROM Contact GROUP BY Name',
  'SELECT FIELDS(SOME) FROM Contact',
  'DELETE FROM Contact',
])('refuses %j', (soql) => {
  expect(refusal(soql).problems[0]?.code).toBe('MALFORMED_QUERY');
});

it('points at the position', () => {
  const message = refusal('SELECT Id\nFROM Contact\nWHERE Name = Brien').problems[0]?.message ?? '';
  expect(message.split('\n')).toEqual([
    '',
    'ontact WHERE Name = Brien',
    `${' '.repeat(20)}^`,
    'ERROR at Row:3:Column:14',
    "unexpected token: 'Brien'",
  ]);
});

it('refuses a query that is too long', () => {
  expect(refusal(`SELECT Id FROM Contact WHERE Name = '${'x'.repeat(100_000)}'`).message).toContain('too long');
});
