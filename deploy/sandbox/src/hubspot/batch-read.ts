import type { Action, ObjectCall } from './api-call';
import { batchReply, missingIds } from './batch-reply';
import { refuseDuplicateIds } from './batch-update';
import { findRecord, requireUniqueProperty } from './find-record';
import { presentRead } from './present-record';
import { readId, readInputs, readJsonObject, readNames } from './request-body';

/**
 * `POST /crm/v3/objects/{T}/batch/read`: by record id, or by `idProperty`. 200, or 207 that names what is missing.
 * Reads the records themselves: no index lag. Results are in the order of record ids.
 */
export const batchRead: Action<ObjectCall> = (call) => {
  const body = readJsonObject(call.bodyText);
  const ids = readInputs(body).map(readId);
  const idProperty = typeof body.idProperty === 'string' ? body.idProperty : undefined;
  requireUniqueProperty(call.type, idProperty);
  refuseDuplicateIds(idProperty === undefined ? ids : ids.map((id) => id.toLowerCase()));
  const found = ids.map((id) => ({ id, record: findRecord(call.records, id, idProperty) }));
  const records = found.flatMap(({ record }) => (record ? [record] : []));
  const missing = found.filter(({ record }) => !record).map(({ id }) => id);
  const asked = readNames(body.properties);
  return batchReply(call, 200, {
    results: records.toSorted((a, b) => Number(a.id) - Number(b.id)).map((record) => presentRead(call, record, asked)),
    errors: missing.length > 0 ? [missingIds(call.type, missing)] : [],
  });
};
