import { DefectError } from '@sluice/errors';

/** Records of a collections call. Reads would take 2,000; ours carry no more than a write does. Source: reference B3. */
export const batchLimit = 200;

/** @throws DefectError when a caller plans a larger call than the capability says */
export function assertBatchSize(count: number): void {
  if (count > batchLimit) {
    throw new DefectError({
      code: 'service.defect',
      detail: `a Salesforce call takes ${batchLimit} records, not ${count}`,
    });
  }
}
