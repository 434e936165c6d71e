import type { Action, ObjectCall } from './api-call';
import { checkWrite } from './check-write';
import { getRecord } from './find-record';
import { presentUpdated } from './present-record';
import { readJsonObject, readProperties } from './request-body';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

/** `PATCH /crm/v3/objects/{T}/{id}[?idProperty=]` -> 200. Associations in the body are ignored. */
export const updateRecord: Action<ObjectCall> = (call) => {
  const { type, records } = call;
  const sent = readProperties(readJsonObject(call.bodyText));
  const record = getRecord(records, call.params.id ?? '', call.query.get('idProperty') ?? undefined);
  const unknown = definitionProblems(type, sent);
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const values = normaliseValues(sent);
  const failure = checkWrite(records, values, { ownId: record.id, refusal: call.refusals.get(0) });
  if (failure) throw failure;
  return { status: 200, body: presentUpdated(call, records.update(record, values, call.now), values) };
};
