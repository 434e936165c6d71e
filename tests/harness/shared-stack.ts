import { readProcessEnv } from '@sluice/config';
import { checkedFetch } from './checked-fetch';
import { stackAt, type Stack, type StackAddress } from './stack';

/** Where the shared stacks are, for the workers of jest: set by `tests/setup/start-shared-stacks.ts`. */
export const stacksVariable = 'SHARED_TEST_STACKS';

/**
 * The stacks that suites share, by how much faster the specification's time passes there: a minute lasts a second for those who wait for
 * minutes, an hour five seconds for those who wait for hours.
 */
export const sharedTimeScales = { minutes: 60, hours: 720 } as const;
export type SharedStackName = keyof typeof sharedTimeScales;

/**
 * A stack that runs for as long as the tests do. Each suite has projects, groups and accounts of its own there, counts only what is its own,
 * and leaves the processes and their settings as they are. The replies to its clients are checked against the published contract.
 */
export function sharedStack(name: SharedStackName = 'minutes'): Stack {
  const stacks = JSON.parse(readProcessEnv()[stacksVariable] ?? '{}') as Partial<Record<SharedStackName, StackAddress>>;
  const address = stacks[name];
  if (address === undefined)
    throw new Error(`no shared stack runs: the suite must belong to the project "shared" of jest.config.js`);
  return { ...stackAt(address), fetch: checkedFetch };
}
