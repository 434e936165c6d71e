import { hoursToMs, minutesToMs } from './limits';

it('converts minutes and hours to milliseconds', () => {
  expect(minutesToMs(1440)).toBe(86_400_000);
  expect(hoursToMs(48)).toBe(172_800_000);
});
