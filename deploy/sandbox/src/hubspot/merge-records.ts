import type { Action, ObjectCall } from './api-call';
import { invalid } from './errors';
import { getRecord } from './find-record';
import { presentCreated } from './present-record';
import { readJsonObject } from './request-body';

/**
 * `POST /crm/v3/objects/{T}/merge` with `{primaryObjectId, objectIdToMerge}` -> 200, the primary record. It takes over
 * the values it lacks and the links; calls under the id that was merged away meet it from then on.
 */
export const mergeRecords: Action<ObjectCall> = (call) => {
  const { primaryObjectId, objectIdToMerge } = readJsonObject(call.bodyText);
  const [primary, other] = [primaryObjectId, objectIdToMerge].map((id) => getRecord(call.records, String(id)));
  if (!primary || !other || primary.id === other.id) throw invalid('Cannot merge a record with itself');
  call.data.moveLinks(other.id, primary.id);
  return { status: 200, body: presentCreated(call, call.records.merge(primary, other, call.now)) };
};
