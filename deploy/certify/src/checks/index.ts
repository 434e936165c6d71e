import { accountChecks } from './account-checks';
import { associationChecks } from './association-checks';
import { batchChecks } from './batch-checks';
import type { Check } from './check';
import { searchChecks } from './search-checks';
import { singleChecks } from './single-checks';

/** Every check but deletion, in the order in which they build on each other. */
export const checks: readonly Check[] = [
  ...accountChecks,
  ...singleChecks,
  ...batchChecks,
  ...associationChecks,
  ...searchChecks,
];
