import type { Action, ObjectCall } from './api-call';
import { refuseByScript, refused, readId, readInputs, readJsonObject } from './request-body';

/** `DELETE /crm/v3/objects/{T}/{id}` -> 204, also for an id that never was. */
export const archiveRecord: Action<ObjectCall> = (call) => {
  refuseByScript(call.refusals);
  archive(call, [call.params.id ?? '']);
  return { status: 204 };
};

/** `POST /crm/v3/objects/{T}/batch/archive` -> 204. All or nothing where an input is refused by script. */
export const batchArchive: Action<ObjectCall> = (call) => {
  const ids = readInputs(readJsonObject(call.bodyText)).map(readId);
  const [refusal] = ids.flatMap((_, index) => call.refusals.get(index) ?? []);
  if (refusal) throw refused(refusal);
  archive(call, ids);
  return { status: 204 };
};

function archive({ records, now }: ObjectCall, ids: readonly string[]): void {
  for (const id of ids) {
    const record = records.find(id);
    if (record) records.archive(record, now);
  }
}
