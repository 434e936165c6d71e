import type { OperationExplanation } from '@sluice/types';
import type { ManagementOperations } from './generated/management';
import type { Api, CallOptions } from './operation-shape';

/** The explanation of an operation with all of its records: those of a large one come in pages. */
export async function readExplanation(
  management: Api<ManagementOperations>,
  operationId: string,
  options: CallOptions = {},
): Promise<OperationExplanation> {
  const first = await management.explainOperation({ operationId }, options);
  const records = [...first.records];
  let { pagination } = first;
  while (pagination.nextPageToken !== undefined) {
    const next = await management.explainOperation({ operationId, pageToken: pagination.nextPageToken }, options);
    records.push(...next.records);
    ({ pagination } = next);
  }
  return { ...first, records, pagination };
}
