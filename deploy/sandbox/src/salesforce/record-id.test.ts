import { toLongId } from './record-ids';

it.each([
  ['0035g00000AbCdE', '0035g00000AbCdEAAV'],
  ['001000000000000', '001000000000000AAA'],
  ['003ak000003dQCH', '003ak000003dQCHAA2'],
  ['003RM0000068xVC', '003RM0000068xVCYAY'],
  ['ABCDEABCDEABCDE', 'ABCDEABCDEABCDE555'],
])('adds the checksum to %s', (short, long) => {
  expect(toLongId(short)).toBe(long);
  expect(toLongId(long)).toBe(long);
});

it('tells ids apart by case alone', () => {
  expect(toLongId('003ak000003dqch')).toBe('003ak000003dqchAAA');
  expect(toLongId('003ak000003dqch')).not.toBe(toLongId('003ak000003dQCH'));
});

it.each([
  ['a wrong checksum', '003ak000003dQCHAAA'],
  ['a checksum of another case', '003ak000003dQCHaa2'],
  ['14 characters', '003ak000003dQC'],
  ['16 characters', '003ak000003dQCHA'],
  ['a sign', '003ak000003dQC-'],
  ['nothing', ''],
])('refuses %s', (_name, id) => {
  expect(toLongId(id)).toBeUndefined();
});
