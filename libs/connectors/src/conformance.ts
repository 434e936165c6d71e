import { batchCases } from './conformance/batch-cases';
import { capabilityCases } from './conformance/capability-cases';
import { faultCases } from './conformance/fault-cases';
import { readCases } from './conformance/read-cases';
import { reconcileCases } from './conformance/reconcile-cases';
import { singleCases } from './conformance/single-cases';
import type { ConformanceCase, ConnectorHarness } from './conformance/harness';

export type { ConformanceCase, ConnectorHarness, Fault } from './conformance/harness';

/**
 * What every connector promises, capability by capability. A capability that the connector says it lacks is checked
 * to be really absent.
 */
export function connectorConformance(harness: ConnectorHarness): ConformanceCase[] {
  return [
    ...capabilityCases(harness),
    ...singleCases(harness),
    ...batchCases(harness),
    ...readCases(harness),
    ...reconcileCases(harness),
    ...(harness.fault ? faultCases(harness, harness.fault) : []),
  ];
}
