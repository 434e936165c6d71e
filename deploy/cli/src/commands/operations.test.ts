import { reasonFirst, renderLog } from './operations';

const line = (timestamp: string, msg: string) => ({ timestamp, severity: 'INFO', message: { msg } });

it('a log names the day of what did not happen today, its first line too', () => {
  const log = [line('2026-11-21T23:59:59.000Z', 'Accepted.'), line('2026-11-22T00:00:01.500Z', 'Ended.')];
  const yesterdays = '2026-11-21 23:59:59.000  INFO   Accepted.';
  expect(renderLog(log, '2026-11-22T08:00:00.000Z')).toBe(`${yesterdays}\n00:00:01.500  INFO   Ended.`);
  expect(renderLog(log, '2026-11-23T08:00:00.000Z')).toBe(`${yesterdays}\n2026-11-22 00:00:01.500  INFO   Ended.`);
});

it('an empty log says so', () => {
  expect(renderLog([], '2026-11-22T08:00:00.000Z')).toBe('Nothing has happened yet.');
});

it('a list shows why a record failed before what is cut', () => {
  const reason =
    'Property values were not valid: [{"isValid":false,"message":"Email address x is invalid","name":"email"}]';
  expect(reasonFirst(reason)).toBe('Email address x is invalid');
  expect(reasonFirst(`Batch write completed (2 succeeded, 1 failed). First error, record 2: ${reason}`)).toBe(
    '2 succeeded, 1 failed: record 2: Email address x is invalid',
  );
  for (const other of ['Write completed: create contacts', 'Refused: [{}]', 'Refused: [{"a":1}', 'no access']) {
    expect(reasonFirst(other)).toBe(other);
  }
});
