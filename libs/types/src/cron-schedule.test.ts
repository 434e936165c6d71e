import { isCronSchedule } from './cron-schedule';

describe('isCronSchedule', () => {
  it.each(['*/30 * * * *', '0 0 1 1 0', '59 23 31 12 7', '0,15,30-45/5 9-17 * JAN-mar MON-FRI', ' 5  4 * * sun '])(
    'takes %j',
    (text) => {
      expect(isCronSchedule(text)).toBe(true);
    },
  );

  it.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    ', * * * *',
    '* * * MON *',
  ])('refuses %j', (text) => {
    expect(isCronSchedule(text)).toBe(false);
  });
});
