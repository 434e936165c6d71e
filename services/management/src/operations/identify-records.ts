import { identifiedBy, type Operation, type OperationRecord } from '@sluice/types';
import type { ManagementContext } from '../context';

/** Records of one operation; those with neither a ref nor an id get the field by which people know them. One statement for all, none where there are none. */
export async function identifyRecords<Shown extends OperationRecord>(
  { store, connectors }: Pick<ManagementContext, 'store' | 'connectors'>,
  { projectId, id }: Pick<Operation, 'projectId' | 'id'>,
  records: readonly Shown[],
): Promise<readonly Shown[]> {
  const nameless = records.filter(({ ref, recordId }) => ref === undefined && recordId === undefined);
  if (nameless.length === 0) return records;
  const indexes = nameless.map(({ index }) => index);
  const plans = await store.operations.readPlans(projectId, id, indexes);
  return records.map((record) => {
    const accepted = plans.get(record.index);
    if (accepted === undefined) return record;
    const { provider, plan } = accepted;
    const names = connectors.find(provider)?.capabilities.fields.identifying?.(plan.objectName) ?? [];
    const by = identifiedBy(plan, names, record.problems);
    return by === undefined ? record : { ...record, identifiedBy: by };
  });
}
