import { failureClasses, type FailureClass } from '@sluice/errors';
import type { RecordResult } from '@sluice/connectors';
import type { EndedRecord } from '@sluice/store';
import type { WritePlan } from '@sluice/types';
import type { EndedWrite } from './present-write';
import { unmappedOf, type WriteCall } from './resolve-write';

/** A synchronous write that another process ended after its gateway died: the records hold all that is known. */
export function toEndedWrite({ request }: WriteCall, operationId: string, records: readonly EndedRecord[]): EndedWrite {
  const plans = records.map(({ plan }) => (plan === undefined ? undefined : (JSON.parse(plan) as WritePlan)));
  return {
    operationId,
    type: request.type,
    isBatch: request.batch !== undefined,
    results: records.map((record, at) => toResult(record, plans[at])),
    sentFields: plans.map((plan) => plan && surelySent(plan)),
    queuedBehind: [],
    unmapped: unmappedOf(plans.flatMap((plan) => plan?.notes ?? [])),
  };
}

/** Without the `ifEmpty` fields: what was decided of them is not kept. */
function surelySent({ fields, ifEmpty = [] }: WritePlan): WritePlan['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !ifEmpty.includes(field)));
}

function toResult(record: EndedRecord, plan: WritePlan | undefined): RecordResult {
  if (record.outcome === 'succeeded') {
    const { warnings } = record;
    return { ok: true, recordId: record.providerId ?? plan?.recordId ?? '', ...(warnings && { warnings }) };
  }
  const known = failureClasses.find((each) => each === record.errorClass);
  const fallback: FailureClass = record.outcome === 'unknown' ? 'unknown' : 'rejected';
  const isAmbiguous = known === 'unknown' || known === 'timeout';
  const failed = known === undefined || (record.outcome === 'unknown') !== isAmbiguous ? fallback : known;
  return { ok: false, error: { class: failed, message: record.errorText ?? 'The write failed.', scope: 'record' } };
}
