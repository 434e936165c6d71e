import { associationCases } from './conformance/association-cases';
import { batchCreateCases } from './conformance/batch-create-cases';
import { batchUpdateCases } from './conformance/batch-update-cases';
import { capabilityCases } from './conformance/capability-cases';
import { changeFaultCases } from './conformance/change-fault-cases';
import { deleteCases } from './conformance/delete-cases';
import { describeCases } from './conformance/describe-cases';
import { faultCases } from './conformance/fault-cases';
import { hostileCases } from './conformance/hostile-cases';
import { readCases } from './conformance/read-cases';
import { readFaultCases } from './conformance/read-fault-cases';
import { reconcileCases } from './conformance/reconcile-cases';
import { refreshCases } from './conformance/refresh-cases';
import { resendCases } from './conformance/resend-cases';
import { singleCases } from './conformance/single-cases';
import type { ConformanceCase, ConnectorHarness } from './conformance/harness';

export type { ConformanceCase, ConnectorHarness, Fault, Grant } from './conformance/harness';

/**
 * What every connector promises, capability by capability. A capability that the connector says it lacks is checked
 * to be really absent.
 */
export function connectorConformance(harness: ConnectorHarness): ConformanceCase[] {
  return [
    ...capabilityCases(harness),
    ...singleCases(harness),
    ...deleteCases(harness),
    ...batchCreateCases(harness),
    ...batchUpdateCases(harness),
    ...readCases(harness),
    ...describeCases(harness),
    ...reconcileCases(harness),
    ...hostileCases(harness),
    ...(harness.linked ? associationCases(harness, harness.linked) : []),
    ...(harness.grants ? refreshCases(harness, harness.grants) : []),
    ...(harness.fault ? faultCases(harness, harness.fault) : []),
    ...(harness.fault ? changeFaultCases(harness, harness.fault) : []),
    ...(harness.fault ? readFaultCases(harness, harness.fault) : []),
    ...(harness.fault ? resendCases(harness, harness.fault) : []),
  ];
}
