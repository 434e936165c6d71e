import { idOf, recordIds, toLongId } from './record-ids';

it('gives the same growing ids on every run, none twice, with letters of both cases', () => {
  const [first, second] = [recordIds(), recordIds()];
  const given = Array.from({ length: 500 }, () => first.next('Contact'));
  expect(given).toEqual(Array.from({ length: 500 }, () => second.next('Contact')));
  expect(new Set(given).size).toBe(500);
  for (const id of given) {
    expect(id).toMatch(/^003ak0(?=.*[A-Z])(?=.*[a-z])[0-9A-Za-z]{9}[A-Z0-5]{3}$/);
    expect(toLongId(id)).toBe(id);
  }
});

it('continues after the ids of a journal', () => {
  const ids = recordIds();
  const remembered = idOf('001', 3_400_000_000);
  ids.skipPast(remembered);
  expect(ids.next('Contact').slice(6, 15) > remembered.slice(6, 15)).toBe(true);
});

it('does not go back for an older one', () => {
  const [ids, untouched] = [recordIds(), recordIds()];
  ids.skipPast(idOf('005', 7));
  expect(ids.next('Contact')).toBe(untouched.next('Contact'));
});

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

it('distinguishes ids by case alone', () => {
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
