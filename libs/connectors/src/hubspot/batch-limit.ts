import { DefectError } from '@sluice/errors';

/** Inputs of every CRM batch endpoint, per call. Source: reference A3. */
export const batchLimit = 100;

/** @throws DefectError when a caller plans a larger call than the capability says */
export function assertBatchSize(count: number): void {
  if (count > batchLimit) {
    throw new DefectError({
      code: 'service.defect',
      detail: `a HubSpot call takes ${batchLimit} records, not ${count}`,
    });
  }
}
