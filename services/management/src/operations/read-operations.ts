import type { Store } from '@sluice/store';
import type { Operation } from '@sluice/types';
import { coalesce } from '@sluice/writes';
import type { OperationKey } from './watch-operations';

/** Operations of one statement, and statements at once: many callers that poll share few. */
const operationsPerRead = 100;
const readsMax = 2;
/** A second statement is worth its round trip for this many: half of the callers that a busy process has at once. */
const beside = 50;

/** Finds an operation as it is now; undefined when the project has no such operation. */
export type ReadOperation = (key: OperationKey) => Promise<Operation | undefined>;

/** What is asked for while a statement is under way shares the next one: polling is most of what this API does. */
export function operationReader({ operations }: Pick<Store, 'operations'>): ReadOperation {
  return coalesce<OperationKey, Operation | undefined>({
    run: (keys) => operations.findMany(keys),
    itemsMax: operationsPerRead,
    runsMax: readsMax,
    itemsMin: beside,
  });
}
