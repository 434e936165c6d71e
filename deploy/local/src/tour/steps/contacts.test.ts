import { describeAdded } from './contacts';

// The step is marked ok whatever the machine: its words say whether the goal is met.
it.each([
  [3.21, 'Sluice adds 3.2 ms (within the goal of 10)'],
  [10.04, 'Sluice adds 10.0 ms (within the goal of 10)'],
  [14.6, 'Sluice adds 14.6 ms (over the goal of 10 on this machine, which is not judged)'],
])('%d ms: %s', (ms, words) => {
  expect(describeAdded(ms)).toBe(words);
});
