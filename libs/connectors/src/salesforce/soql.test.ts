import { momentLiteral, quote, toLiteral } from './soql-literal';
import { toSoql } from './soql';

const nasty = [
  `'`,
  `\\`,
  `\\'`,
  `\\\\'`,
  `' OR Name LIKE '%`,
  `\\u0027 OR Name LIKE \\u0027%`,
  'line\nbreak\r\ttab\b\f',
  'nul\u0000',
  'line\u2028separator\u2029',
  'next\u0085line\u007f\u009f',
  'emoji 👩‍🚀',
  'half \ud83d',
  '\udc00 other half',
  '',
  ' ',
  '%_"',
  '--',
  '/* */',
  ') LIMIT 1 OFFSET 5',
];

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/** Reads a literal from behind its first quote. */
function parseLiteral(soql: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  while (soql[at] !== "'") {
    if (at >= soql.length) throw new Error('the literal does not end');
    if (soql.charCodeAt(at) < 0x20) throw new Error('a control character');
    const letter = soql[at] === '\\' ? (soql[at + 1] ?? '') : undefined;
    const code = letter === 'u' ? /^[0-9a-fA-F]{4}/.exec(soql.slice(at + 2))?.[0] : undefined;
    const meant =
      letter === undefined ? soql[at] : code ? String.fromCharCode(Number.parseInt(code, 16)) : escapes[letter];
    if (meant === undefined) throw new Error(`the escape \\${letter}`);
    value += meant;
    at += letter === undefined ? 1 : code ? 6 : 2;
  }
  return { value, end: at + 1 };
}

/**
 * An own reading of a WHERE of equalities, as strict as Salesforce's: an escape it does not know is an error.
 * Source: reference B4, legal escapes.
 */
function parseWhere(soql: string): { field: string; value: string }[] {
  const conditions = [];
  let at = soql.indexOf(' WHERE ') + ' WHERE '.length;
  for (;;) {
    const head = /^([A-Za-z][A-Za-z0-9_.]*) = '/.exec(soql.slice(at));
    if (!head) throw new Error(`no condition at ${soql.slice(at)}`);
    const { value, end } = parseLiteral(soql, at + head[0].length);
    conditions.push({ field: head[1] ?? '', value });
    if (soql.startsWith(' LIMIT ', end)) return conditions;
    if (!soql.startsWith(' AND ', end)) throw new Error(`no AND at ${soql.slice(end)}`);
    at = end + ' AND '.length;
  }
}

const selectWhere = (values: readonly string[]) =>
  toSoql({
    objectName: 'Contact',
    fields: ['Email'],
    where: values.map((value, index) => ({ field: `F${index}__c`, operator: '=', literals: [quote(value)] })),
    limit: 10,
  });
const expected = (values: readonly string[]) => values.map((value, index) => ({ field: `F${index}__c`, value }));

describe('[sec-25] a text in a query', () => {
  test.each(nasty)('%j comes back as it was', (value) => {
    expect(parseWhere(selectWhere([value]))).toEqual(expected([value]));
    expect(() => encodeURIComponent(selectWhere([value]))).not.toThrow();
  });

  test('what would end or hide in a query is escaped, the rest is as it was', () => {
    expect(quote('\u2028\u2029\u0085\u007f\u0000')).toBe("'\\u2028\\u2029\\u0085\\u007f\\u0000'");
    expect(quote('\ud83d é👩"%_')).toBe("'\\ud83d é👩\"%_'");
  });

  test('any texts together come back as they were, and as that many conditions', () => {
    // xorshift32: the same texts on every run.
    let state = 20_261_121;
    const next = (below: number) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
    const parts = [...nasty, ...'\'\\"%nu{}()='.split(''), '\\n', '\\u0027', "''", ' AND Id != null', '\u{1f600}'];
    for (let run = 0; run < 3_000; run++) {
      const values = Array.from({ length: 1 + next(4) }, () =>
        Array.from({ length: next(8) }, () =>
          next(5) === 0 ? String.fromCharCode(next(0x10000)) : parts[next(parts.length)],
        ).join(''),
      );
      const soql = selectWhere(values);
      expect(parseWhere(soql)).toEqual(expected(values));
      expect(decodeURIComponent(encodeURIComponent(soql))).toBe(soql);
    }
  });

  test('the parser of this test refuses what Salesforce refuses', () => {
    for (const soql of [` WHERE A = '\\x' LIMIT 1`, ` WHERE A = 'a' OR B = 'b' LIMIT 1`, ` WHERE A = 'a\n' LIMIT 1`]) {
      expect(() => parseWhere(soql)).toThrow(Error);
    }
  });
});

describe('a value by the type of its field', () => {
  test.each<[string, unknown, string]>([
    ['string', "O'Hara", "'O\\'Hara'"],
    ['string', 5, "'5'"],
    ['string', true, "'true'"],
    ['picklist', 'Hot', "'Hot'"],
    ['email', 'a@b.c', "'a@b.c'"],
    ['anything new', 'x', "'x'"],
    ['toString', 'x', "'x'"],
    ['boolean', 'true', 'true'],
    ['boolean', 'FALSE', 'false'],
    ['boolean', false, 'false'],
    ['int', '42', '42'],
    ['int', -7, '-7'],
    ['double', '12.50', '12.50'],
    ['currency', 1e6, '1000000'],
    ['percent', ' 5 ', '5'],
    ['date', '2026-02-28', '2026-02-28'],
    ['datetime', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z'],
    ['datetime', '2026-11-20T14:00:00.5+02:00', '2026-11-20T12:00:00.500Z'],
    ['time', '13:30:00', '13:30:00Z'],
    ['reference', '001ak0000000001', "'001ak0000000001'"],
    ['id', '003ak0000000001AAA', "'003ak0000000001AAA'"],
  ])('%s %j', (type, value, text) => {
    expect(toLiteral(type, value)).toEqual({ ok: true, text });
  });

  test.each<[string, unknown]>([
    ['boolean', 'yes'],
    ['boolean', '1'],
    ['int', '1.5'],
    ['int', '1 OR Id != null'],
    ['int', ''],
    ['double', 'NaN'],
    ['double', 'Infinity'],
    ['double', '1e21'],
    ['double', '0x10'],
    ['currency', '1,000'],
    ['date', '2026-02-30'],
    ['date', '2026-2-3'],
    ['date', 'TODAY'],
    ['datetime', '2026-11-20'],
    ['datetime', '2026-11-20T12:00:00'],
    ['datetime', '2026-02-30T12:00:00Z'],
    ['datetime', "2026-11-20T12:00:00Z' OR"],
    ['time', '25:00:00'],
    ['reference', "001' OR Id != '"],
    ['id', '001ak00000000010'],
    ['string', { a: 1 }],
    ['string', null],
  ])('%s refuses %j', (type, value) => {
    expect(toLiteral(type, value).ok).toBe(false);
  });

  test('a moment has milliseconds only where there are some', () => {
    expect(momentLiteral(new Date('2026-11-20T12:00:00Z'))).toBe('2026-11-20T12:00:00Z');
    expect(momentLiteral(new Date('2026-11-20T12:00:00.120Z'))).toBe('2026-11-20T12:00:00.120Z');
  });
});

describe('a query', () => {
  test('names once, conditions joined by AND, the limit last', () => {
    const where = [
      { field: 'Email', operator: 'IN' as const, literals: ["'a'", "'b'"] },
      { field: 'CreatedDate', operator: '>=' as const, literals: ['2026-11-20T12:00:00Z'] },
    ];
    expect(toSoql({ objectName: 'Contact', fields: ['Email', 'Id', 'Email'], where, limit: 5 })).toBe(
      `SELECT Id, Email FROM Contact WHERE Email IN ('a', 'b') AND CreatedDate >= 2026-11-20T12:00:00Z LIMIT 5`,
    );
  });

  test('all fields, no condition', () => {
    expect(toSoql({ objectName: 'Lead', fields: 'all', where: [], limit: 200 })).toBe(
      'SELECT FIELDS(ALL) FROM Lead LIMIT 200',
    );
  });
});
