import { isEmpty, sameValue } from './values';

test.each<[string, unknown, unknown, boolean]>([
  ['string', ' Ada ', 'ADA', true],
  ['string', 'Ada', 'Adam', false],
  ['string', 'a\r\nb', 'a\nb', true],
  ['string', null, '', true],
  ['string', '', 'x', false],
  ['string', 'x', null, false],
  ['string', 5, '5', true],
  ['boolean', false, false, true],
  ['boolean', 'true', true, true],
  ['boolean', true, false, false],
  ['double', '5', 5, true],
  ['double', 5.004, 5, true],
  ['double', 5.006, 5, false],
  ['currency', 'abc', 5, false],
  ['date', '2026-01-31', '2026-01-31', true],
  ['date', '2026-01-31T10:00:00Z', '2026-01-31', true],
  ['date', '2026-01-30', '2026-01-31', false],
  ['datetime', '2026-01-31T12:00:00.900+02:00', '2026-01-31T10:00:00.000+0000', true],
  ['datetime', '2026-01-31T10:00:01Z', '2026-01-31T10:00:00.000+0000', false],
  ['datetime', 'soon', 'soon', false],
  ['reference', '001ak00000AbCdE', '001ak00000AbCdEAAV', true],
  ['reference', '001ak00000aBcDe', '001ak00000AbCdEAAV', false],
  ['phone', '+1 (555) 01-02', '15550102', true],
  ['phone', 'ask Bob', 'Ask bob', true],
  ['phone', '555', '556', false],
  ['multipicklist', ['b', 'a'], 'a;b', true],
  ['multipicklist', 'b; a', 'a;b', true],
  ['multipicklist', 'a', 'a;b', false],
  ['picklist', 'Hot', 'hot', true],
])('%s: %j sent, %j kept: %s', (type, sent, stored, expected) => {
  expect(sameValue({ type, scale: 2 }, sent, stored)).toBe(expected);
});

test('a number of unknown scale is compared to a part in 10^12', () => {
  const field = { type: 'double', scale: undefined };
  expect(sameValue(field, 0.1 + 0.2, 0.3)).toBe(true);
  expect(sameValue(field, 0.3001, 0.3)).toBe(false);
});

test('empty is null, absent, an empty text or list; 0 and false are values', () => {
  expect([null, undefined, '', []].map(isEmpty)).toEqual([true, true, true, true]);
  expect([0, false, ' '].map(isEmpty)).toEqual([false, false, false]);
});
