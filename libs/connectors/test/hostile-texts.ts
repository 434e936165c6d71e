import * as fc from 'fast-check';

// What ends, hides or opens something in SOQL, JSON, a path, a header or a log.
const quotes = ['`', ...String.raw`' " \ \' \\' '' '" \n \u0027 \u000a \x27 %27 %5c %00`.split(' ')];
const invisible = ['\n', '\r', '\t', '\b', '\f', '\0', ' ', '\u0085', '\u00a0', '\u2028', '\u2029', '\u202e', '\ufeff'];
const letters = ['\ud83d', '\udc00', '\u{1f469}', 'é', 'ß', 'İ'];
const paths = '. .. / // ./ ../batch/archive %2e%2e ? # & ; @ __proto__ contacts'.split(' ');
const soql = [
  '--',
  '/*',
  '*/',
  ' OR ',
  ' AND ',
  ' IN ',
  ' LIMIT 1',
  'Id != null',
  "' OR Name LIKE '%",
  '(',
  ') ',
  '%',
  '_',
];
const words = ['null', 'true', 'TODAY', ':bind', '0', '1e9', '-', '{', '}', '$', 'Id', 'Account.Name'];
const parts: readonly string[] = [quotes, invisible, letters, paths, soql, words].flat();

/** Texts of such parts, of any other UTF-16 unit, and of plain words; up to about 100 characters. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...parts), weight: 5 },
      { arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), weight: 2 },
      { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
    ),
    { maxLength: 8 },
  )
  .map((all) => all.join(''));
