import type { ExportedRecord, JsonValue, OperationExport, WritePlan } from '@sluice/types';

/** A plan of the recorded form, with values that are nobody's. @throws Error when the plan was no longer kept at the export */
export function standInPlan({ type }: Pick<OperationExport, 'type'>, { index, plan }: ExportedRecord): WritePlan {
  if (plan === undefined)
    throw new Error(`The plan of record ${index} was no longer kept when the operation was exported.`);
  const { objectName, recordId, ifEmpty, notes, headers } = plan;
  return {
    type,
    objectName,
    ...(recordId === undefined ? {} : { recordId }),
    fields: Object.fromEntries(Object.entries(plan.fields).map(([name, form]) => [name, standIn(form, index)])),
    ...(ifEmpty === undefined ? {} : { ifEmpty }),
    ...(notes === undefined ? {} : { notes }),
    ...(headers === undefined ? {} : { headers: headers.map((key) => ({ key, value: 'x' })) }),
  };
}

/** Values of two records differ where they are long enough for it. */
function standIn(form: string, index: number): JsonValue {
  const [, kind = 'string', size = '1'] = /^(\w+)(?:\((\d+)\))?$/.exec(form) ?? [];
  const length = Number(size);
  if (kind === 'null') return null;
  if (kind === 'number') return 1;
  if (kind === 'boolean') return true;
  if (kind === 'list') return Array.from({ length }, () => 'x');
  if (kind === 'object') return Object.fromEntries(Array.from({ length }, (_, at) => [`member${at}`, 'x']));
  return `${index}`.padEnd(length, 'x').slice(0, length);
}
