import type { OperationRecord } from './operation-record';
import { generalSentence, groupProblems, whyNoRetry } from './problem-groups';

const email = (value: string) => ({ field: 'mail', code: 'INVALID_EMAIL', message: `${value} is invalid` });
const failed = (index: number, problems: OperationRecord['problems'], message = 'said'): OperationRecord => ({
  index,
  status: 'failed',
  error: { class: 'rejected', message },
  ...(problems && { problems }),
});

it('puts the most frequent first, whatever value each sentence names', () => {
  const phone = { field: 'phone', message: 'is too long' };
  const records = [
    failed(0, [phone]),
    { index: 1, status: 'succeeded' } as const,
    failed(2, [email('a'), phone]),
    failed(3, [email('b')]),
    failed(4, [email('c')]),
  ];
  expect(
    groupProblems(records).map(({ problem, records: members }) => [problem, members.map(({ index }) => index)]),
  ).toEqual([
    [email('a'), [2, 3, 4]],
    [phone, [0, 2]],
  ]);
});

it('keeps apart what has neither field nor code but another sentence, and another class', () => {
  const one = failed(0, [{ message: 'x' }]);
  const unsure: OperationRecord = { index: 2, status: 'unknown', error: { class: 'timeout', message: 'x' } };
  const groups = groupProblems([one, failed(1, [{ message: 'y' }]), unsure, failed(3, undefined, 'x')]);
  expect(groups.map((group) => [group.class, group.problem.message, group.records.map(({ index }) => index)])).toEqual([
    ['rejected', 'x', [0, 3]],
    ['rejected', 'y', [1]],
    ['timeout', 'x', [2]],
  ]);
});

it('names in its sentence what no single record has', () => {
  const [group] = groupProblems([failed(0, [email('ann')]), failed(1, [email('bo')])]);
  expect(group).toMatchObject({ sentence: '… is invalid', messages: ['ann is invalid', 'bo is invalid'] });
});

it('leaves out what is still tried', () => {
  expect(groupProblems([{ index: 0, status: 'pending', error: { class: 'quota', message: 'later' } }])).toEqual([]);
});

it('says why a retry cannot help', () => {
  expect(whyNoRetry('rejected')).toContain('same values');
  expect(whyNoRetry('cancelled')).toBeUndefined();
});

it.each([
  [['Email address a at b is invalid', 'Email address c is invalid'], 'INVALID_EMAIL', 'Email address … is invalid'],
  // Of one record, whatever its sentence echoes.
  [['Email address ann at b is invalid'], 'INVALID_EMAIL', 'invalid email'],
  [['"HOT" is no option of 123456789', '"HOT" is no option of 987654321'], undefined, '"HOT" is no option of …'],
  [['Contact 123456789 exists', 'Contact 123456789 exists'], '409', 'Contact … exists'],
  [['ann@example.com is taken by "Ann"'], '409', '… is taken by …'],
  [['The contact exists'], undefined, 'The contact exists'],
  // Nothing is alike: what is meant is in the code.
  [['one', 'another'], 'DUPLICATE_VALUE', 'duplicate value'],
  [['a a a', 'a a'], undefined, 'a a …'],
])('puts %j into one sentence', (messages, code, sentence) => {
  expect(generalSentence(messages, code)).toBe(sentence);
});
