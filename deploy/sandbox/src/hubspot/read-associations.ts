import type { Action, PairCall } from './api-call';
import { getAssociationType } from './association-types';
import { batchReply, type BatchError } from './batch-reply';
import { missingRecord } from './find-record';
import { readId, readInputs, readJsonObject } from './request-body';

/** Source: docs/contributing/providers.md, A4. */
const INPUTS_MAX = 1000;

/** `GET /crm/v4/objects/{from}/{id}/associations/{to}` -> 200, all on one page. */
export const listAssociations: Action<PairCall> = (call) => {
  const id = call.params.id ?? '';
  if (!call.data.records(call.from).find(id)) throw missingRecord(id);
  return { status: 200, body: { results: targetsOf(call, id) } };
};

/** `POST /crm/v4/associations/{from}/{to}/batch/read` -> 200, or 207 that names the records without a link. */
export const batchReadAssociations: Action<PairCall> = (call) => {
  const ids = readInputs(readJsonObject(call.bodyText), INPUTS_MAX).map(readId);
  const found = ids.map((id) => ({ from: { id }, to: targetsOf(call, id) }));
  return batchReply(call, 200, {
    results: found.filter(({ to }) => to.length > 0),
    errors: found.filter(({ to }) => to.length === 0).map(({ from }) => nothingFound(call, from.id)),
  });
};

function targetsOf({ data, from, to }: PairCall, id: string) {
  if (!data.records(from).find(id)) return [];
  return data.linked(id, to).map(({ toId, typeIds }) => ({
    toObjectId: Number(toId),
    associationTypes: typeIds.map((typeId) => ({
      category: 'HUBSPOT_DEFINED',
      typeId,
      label: getAssociationType(typeId)?.label ?? null,
    })),
  }));
}

function nothingFound({ from, to }: PairCall, id: string): BatchError {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    message: `No ${to.singular} is associated with ${from.singular} ${id}.`,
    context: { fromObjectId: [id], fromObjectType: [from.singular], toObjectType: [to.singular] },
  };
}
