import { formatLine } from './dev-output';

it('shows time, level, event and the other fields of a log line', () => {
  const entry = {
    level: 'warn',
    time: '2026-11-20T21:26:01.123Z',
    pid: 7,
    service: 'executor',
    attempt: 2,
    a: { b: 1 },
  };
  const line = JSON.stringify({ ...entry, why: 'no answer', event: 'call.retried' });
  expect(formatLine(line)).toBe('21:26:01 warn call.retried attempt=2 a={"b":1} why=no answer');
});

it.each(['plain text', '{ broken', '{"level":"info"}', ''])('leaves %j as it is', (line) => {
  expect(formatLine(line)).toBe(line);
});
