import type { InstallationLookup, InstallationNames, LookupResult, Store } from '@sluice/store';
import { coalesce } from '@sluice/writes';

/** Lookups of one statement at most. */
const lookupsPerStatement = 100;
/** Statements at the same time: one reads while the next one fills. */
const statementsAtOnce = 2;

/**
 * The same store, where lookups of different installations at the same time share a statement. With more installations in
 * use than a process remembers nearly every write looks one up.
 */
export function sharingLookups(store: Store): Store {
  const { installationLookup } = store;
  const findIds = coalesce<InstallationNames, LookupResult>({
    run: (names) => installationLookup.findManyIds(names),
    itemsMax: lookupsPerStatement,
    runsMax: statementsAtOnce,
  });
  return { ...store, installationLookup: { ...installationLookup, findIds } satisfies InstallationLookup };
}
