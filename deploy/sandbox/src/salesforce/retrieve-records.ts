import { badRequest } from './errors';
import { fieldsCalled, objectOf } from './find-record';
import type { ApiAction, ApiCall, ApiReply } from './org';
import { presentRecord } from './present-record';
import { toLongId } from './record-id';
import { readJsonObject, readNames, recordRequired, tooMany } from './request-body';

/** Source: docs/contributing/providers.md, B3. */
const IDS_MAX = 2000;

/** `POST /composite/sobjects/{T}` with `{ids, fields}`. */
export const retrieveMany: ApiAction = (call) => {
  const body = readJsonObject(call.bodyText);
  return retrieve(call, readNames(body.ids), readNames(body.fields));
};

/** `GET /composite/sobjects/{T}?ids=&fields=`. */
export const retrieveManyByQuery: ApiAction = (call) =>
  retrieve(call, readNames(call.query.get('ids')), readNames(call.query.get('fields')));

/** One entry per id, in the order of the ids; null for a record that is not there or is another object's. */
function retrieve(call: ApiCall, ids: readonly string[], names: readonly string[]): ApiReply {
  const object = objectOf(call);
  if (ids.length === 0) throw recordRequired();
  if (ids.length > IDS_MAX) throw tooMany(IDS_MAX);
  if (names.length === 0) throw badRequest('MISSING_ARGUMENT', 'fields not specified in a retrieve call');
  const fields = fieldsCalled(object, names);
  const records = ids.map((id) => {
    const long = toLongId(id);
    if (long === undefined) throw badRequest('MALFORMED_ID', `malformed id ${id}`);
    const record = call.org.store.find(long);
    return record && !record.isDeleted && record.type === object.name ? presentRecord(call, record, fields) : null;
  });
  return { status: 200, body: records };
}
