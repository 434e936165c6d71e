import { servicePorts } from '@sluice/local';
import { freePortBase as freeBase } from '@sluice/testkit';

/** A base whose six service ports are free now. */
export function freePortBase(): Promise<number> {
  return freeBase(Object.values(servicePorts));
}
