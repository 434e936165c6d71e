import type { SluiceClient } from '@sluice/client';
import type { OperationExplanation } from '@sluice/types';

/** The explanation of an operation with all of its records: those of a large one come in pages. */
export async function readExplanation(
  management: SluiceClient['management'],
  operationId: string,
): Promise<OperationExplanation> {
  const first = await management.explainOperation({ operationId });
  const records = [...first.records];
  let { pagination } = first;
  while (pagination.nextPageToken !== undefined) {
    const next = await management.explainOperation({ operationId, pageToken: pagination.nextPageToken });
    records.push(...next.records);
    ({ pagination } = next);
  }
  return { ...first, records, pagination };
}
