import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import type { DeclaredFilter } from './declaration';
import { isFieldName, toLiteral } from './template';
import { loadDeclarations } from './load-declarations';

const filterOf = (name: string): DeclaredFilter => {
  const filter = loadDeclarations().find((file) => file.name === name)?.search?.filter;
  if (filter === undefined) throw new Error(`${name} has no search`);
  return filter;
};

/** What the provider reads of a literal, by its own grammar: undefined where the literal would end elsewhere. */
const grammars: readonly (readonly [provider: string, read: (literal: string) => string | undefined])[] = [
  ['klaviyo', (literal) => (/^(?:[^"\\]|\\["\\])*$/.test(literal) ? literal.replace(/\\(.)/g, '$1') : undefined)],
  ['zoho', (literal) => (/^(?:[^()\\,]|\\[(),])*$/.test(literal) ? literal.replace(/\\(.)/g, '$1') : undefined)],
  ['zendeskSupport', (literal) => (/^[^"\\]*$/.test(literal) ? literal : undefined)],
];

const hostile = oneof(
  string({ unit: 'binary', maxLength: 40 }),
  array(
    constantFrom(
      '"',
      '\\',
      '(',
      ')',
      ',',
      ':',
      "'",
      '--',
      '\n',
      '\r',
      '\0',
      '\\u0022',
      '%22',
      'equals',
      'and',
      '\ud800',
      'é',
    ),
    { maxLength: 12 },
  ).map((parts) => parts.join('')),
);

// Whatever a caller searches for, the literal ends where it should and means the same value.
it.each(grammars)('%s: 10,000 hostile values are read back as they were, or refused', (provider, read) => {
  const filter = filterOf(provider);
  let written = 0;
  const sameOrRefused = (value: string) => {
    const literal = toLiteral(value, filter);
    if (literal === undefined) return true;
    written += 1;
    return read(literal) === value;
  };
  assert(property(hostile, sameOrRefused), { numRuns: 10_000 });
  expect(written).toBeGreaterThan(1_000);
});

it.each(['a"b', "a'b", 'a b', 'a,b', 'a)', 'a\\', '', '.', 'a..b', 'a.', '1a', 'a--b', 'a\n', 'é', 'x'.repeat(201)])(
  'no field is called %j',
  (name) => expect(isFieldName(name)).toBe(false),
);

it.each(['email', 'custom.cf_1', 'Last_Name', '_x'])('%s may be one', (name) => expect(isFieldName(name)).toBe(true));
