import { portDistances } from '@sluice/local';
import { freePortBase as freeBase } from '@sluice/testkit';

/** A base whose eleven service ports are free now. */
export function freePortBase(): Promise<number> {
  return freeBase(portDistances);
}
