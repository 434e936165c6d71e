import { fingerprint } from './connector';
import { matchesSent, sameValue, uniqueKeyOf } from './wire';

describe('sameValue', () => {
  test.each<[unknown, unknown]>([
    [' Ada@X.Example ', 'ada@x.example'],
    [5, '5'],
    ['5.0', 5],
    [true, 'true'],
    [null, ''],
    [undefined, null],
    ['b;a', 'a;b'],
    [['b', 'a'], 'a;b'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05Z', Date.parse('2026-01-02T03:04:05Z')],
    ['2026-01-02', String(Date.parse('2026-01-02'))],
    [{ a: 1 }, '{"a":1}'],
  ])('%p is %p', (one, other) => expect(sameValue(one, other)).toBe(true));

  test.each<[unknown, unknown]>([
    ['007', 7],
    ['a', 'b'],
    [0, null],
    [false, null],
    ['12345678901234567', '12345678901234568'],
    ['9999-99-99', '9999-99-98'],
  ])('%p is not %p', (one, other) => expect(sameValue(one, other)).toBe(false));
});

describe('matchesSent', () => {
  test('every shown value is equal', () => {
    expect(matchesSent({ a: 'X', b: 1 }, { a: 'x', b: '1', c: 'else' })).toBe(true);
    expect(matchesSent({ a: 'x', b: 1 }, { a: 'x', b: null })).toBe(false);
  });

  test('what the record does not show is passed over', () => {
    expect(matchesSent({ a: 'x', hidden: 1 }, { a: 'x' })).toBe(true);
  });

  test('nothing to compare is no match', () => {
    expect(matchesSent({ a: 'x' }, {})).toBe(false);
    expect(matchesSent({ a: '' }, { a: null })).toBe(false);
    expect(matchesSent({}, { a: 'x' })).toBe(false);
  });

  test('names of Object.prototype are no members', () => {
    expect(matchesSent({ toString: 'x' }, {})).toBe(false);
  });
});

describe('fingerprint', () => {
  const print = (fields: Record<string, unknown>, objectName = 'contacts') => fingerprint(objectName, fields);

  test('contacts with an email are one by the email', () => {
    expect(print({ email: 'A@x ', firstname: 'a' })).toBe(print({ firstname: 'b', email: 'a@x' }, '0-1'));
    expect(print({ email: 'a@x' })).not.toBe(print({ email: 'b@x' }));
  });

  test('others by every value that is not empty, in any order and spelling', () => {
    expect(print({ name: 'Acme', size: 5, x: null }, 'companies')).toBe(
      print({ size: '5.0', name: ' acme' }, 'companies'),
    );
    expect(print({ name: 'Acme' }, 'companies')).not.toBe(print({ name: 'Acme', size: 5 }, 'companies'));
    expect(print({ name: 'Acme' }, 'companies')).not.toBe(print({ name: 'Acme' }, 'deals'));
  });

  test('an email of another object is no key', () => {
    expect(uniqueKeyOf('companies', { email: 'a@x' })).toBeUndefined();
    expect(uniqueKeyOf('contacts', { email: 'none' })).toBeUndefined();
    expect(uniqueKeyOf('contacts', { email: 5 })).toBeUndefined();
  });

  test('an object is the same under each of its names', () => {
    const same = (names: readonly string[], fields: Record<string, unknown>) =>
      new Set(names.map((name) => print(fields, name))).size;
    expect(same(['companies', 'company', '0-2'], { domain: 'acme.test' })).toBe(1);
    expect(same(['deals', 'deal', '0-3'], { dealname: 'x' })).toBe(1);
    expect(same(['contacts', 'companies', 'deals'], { name: 'x' })).toBe(3);
  });

  test('shows no value', () => {
    expect(print({ email: 'ada@x.example' })).toMatch(/^[0-9a-f]{64}$/);
  });
});
