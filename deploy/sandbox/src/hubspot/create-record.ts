import type { Action, ObjectCall } from './api-call';
import { readAssociations, checkLinks, makeLinks } from './associations';
import { checkWrite, readJsonObject, readProperties } from './request-body';
import { presentCreated } from './present-record';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

/** `POST /crm/v3/objects/{T}` -> 201 with `Location` and the wide record. */
export const createRecord: Action<ObjectCall> = (call) => {
  const { type, records, data } = call;
  const body = readJsonObject(call.bodyText);
  const sent = readProperties(body);
  const links = readAssociations(body);
  const unknown = definitionProblems(type, sent);
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const values = normaliseValues(sent);
  const failure = checkWrite(records, values, { refusal: call.refusals.get(0) }) ?? checkLinks(data, type, links);
  if (failure) throw failure;
  const record = records.create(values, call.now);
  makeLinks(data, record.id, links);
  return {
    status: 201,
    headers: { location: `${call.origin}/crm/v3/objects/${type.name}/${record.id}` },
    body: presentCreated(call, record),
  };
};
