import * as fc from 'fast-check';

/** Texts that broke somebody's parser, query, path or prototype once. */
const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u2028\u2029',
  '\u202eevil',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  "' OR Name LIKE '%",
  "\\'",
  '\\u0027',
  '"; drop table operations; --',
  '../batch/archive',
  '..%2f..%2f',
  '%00',
  'a/b?c#d',
  'null',
  'undefined',
  'NaN',
  '{"level":"error"}\n{"level":"error"}',
  '\r\nx-injected: 1',
  '<script>alert(1)</script>',
  '${jndi:ldap://127.0.0.1/a}',
  '😀'.repeat(50),
  'é'.repeat(300),
  'a'.repeat(256),
  'a'.repeat(5_000),
  '1e309',
  '0x10',
  '١٢٣',
];

const nastyNumbers = [0, -0, -1, 1, 48, 49, 100, 101, 1440, 1441, 1.5, 1e21, -1e300, 2 ** 31, 2 ** 53 - 1];

/** A text from the list, or one that nobody thought of. */
export const nastyText = fc.oneof(fc.constantFrom(...nastyTexts), fc.string({ unit: 'binary', maxLength: 40 }));

const scalar = fc.oneof(
  nastyText,
  fc.constantFrom(...nastyNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Any JSON value of modest size, with names and texts that hurt. */
export const nastyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(fc.tuple(nastyText, tie('value')), { maxLength: 4 }).map(toObject) },
  ),
})).value;

/** Own members only, also one called `__proto__`. */
function toObject(members: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** Bodies that are no JSON value of ours at all. */
export const rawBody = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    '"text"',
    'null',
    '7',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{"record":{"n":12345678901234567890}}',
    '{"record":{"n":0.1000000000000000055511151231257827}}',
    '{"record":{"\\u0000":1}}',
    '{"record":{"\\ud800":1}}',
    '\ufeff{}',
    '{"a":1e400}',
    `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
    `{"batch":[${'{},'.repeat(150)}{}]}`,
    'groupRef=g1&type=create',
    '<xml/>',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
