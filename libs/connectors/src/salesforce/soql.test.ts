import { momentLiteral, quote, toLiteral } from './soql';

// That any text reads back as it was, hostile.test.ts shows for thousands of them.
test('[sec-25] what would end or hide in a query is escaped, the rest is as it was', () => {
  expect(quote(`' OR \\' --`)).toBe(`'\\' OR \\\\\\' --'`);
  expect(quote('\n\r\t\b\f\u2028\u2029\u0085\u007f\u0000')).toBe(
    "'\\n\\r\\t\\b\\f\\u2028\\u2029\\u0085\\u007f\\u0000'",
  );
  expect(quote('\ud83d é👩%_')).toBe("'\\ud83d é👩%_'");
});

describe('a value by the type of its field', () => {
  test.each<[string, unknown, string]>([
    ['string', 5, "'5'"],
    ['string', true, "'true'"],
    ['anything new', 'x', "'x'"],
    ['toString', 'x', "'x'"],
    ['boolean', false, 'false'],
    ['int', -7, '-7'],
    ['currency', 1e6, '1000000'],
    ['percent', ' 5 ', '5'],
    ['datetime', '2026-11-20T14:00:00.5+02:00', '2026-11-20T12:00:00.500Z'],
    ['time', '13:30:00', '13:30:00Z'],
    ['id', '003ak0000000001AAA', "'003ak0000000001AAA'"],
  ])('%s %j', (type, value, text) => {
    expect(toLiteral(type, value)).toEqual({ ok: true, text });
  });

  test.each<[string, unknown]>([
    ['double', 'NaN'],
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
