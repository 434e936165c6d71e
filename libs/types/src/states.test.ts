import { statusOf } from './operation';

it.each([
  ['accumulating', 'in_progress'],
  ['queued', 'in_progress'],
  ['succeeded', 'success'],
  ['failed', 'failure'],
] as const)('%s is shown as %s', (state, status) => expect(statusOf(state)).toBe(status));
