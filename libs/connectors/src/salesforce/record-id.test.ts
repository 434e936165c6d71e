import { idRule, isRecordId, isSameRecord, recordKey } from './wire';

test('[sec-27] ids of 15 or 18, the same record by the first 15, which are case-sensitive', () => {
  for (const id of ['003ak00000AbCdE', '003ak00000AbCdEAAV']) expect(isRecordId(id)).toBe(true);
  for (const id of [
    '',
    '5',
    '003ak00000AbCd',
    '003ak00000AbCdEA',
    '003ak00000AbCdEAAVX',
    '003ak00000AbC/E',
    '003ak00000AbCdE\n',
  ]) {
    expect(isRecordId(id)).toBe(false);
  }
  expect(isSameRecord('003ak00000AbCdE', '003ak00000AbCdEAAV')).toBe(true);
  expect(isSameRecord('003ak00000AbCdE', '003ak00000aBcDeAAV')).toBe(false);
});

test('the key of a record is equal for both forms of its id; what is no id is its own key', () => {
  expect(recordKey('003ak00000AbCdEAAV')).toBe('003ak00000AbCdE');
  expect(recordKey('003ak00000AbCdE')).toBe('003ak00000AbCdE');
  expect(recordKey('003ak00000AbCdE-1')).toBe('003ak00000AbCdE-1');
  expect(recordKey('x'.repeat(20))).not.toBe(recordKey('x'.repeat(21)));
});

test('a refusal names the rule and the value, which may be of any length', () => {
  expect(idRule('../batch')).toBe("id must be a Salesforce id of 15 or 18 letters and digits, not '../batch'");
  expect(idRule('x'.repeat(10_000)).length).toBeLessThan(120);
});
