import type { UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import { associate } from './link-records';
import type { HubspotApi } from './call-hubspot';
import { type SchemaCache, toProperties } from './read-properties';
import { mergedWarning, toRecordResult } from './record-result';

/** Updates the fields, then makes the associations. Without fields the associations are all there is to send. */
export async function update(api: HubspotApi, cache: SchemaCache, write: UpdateWrite): Promise<RecordResult> {
  const { recordId, associations = [] } = write;
  if (associations.length === 0) return patch(api, write);
  const hasFields = !isOnlyAssociations(write);
  const result: RecordResult = hasFields ? await patch(api, write) : { ok: true, recordId };
  // A merged record is linked under the id that survived.
  const linked = { recordId: result.ok ? result.recordId : recordId, associations, result, hasFields };
  const [settled = result] = await associate(api, cache, write, [linked]);
  return settled;
}

/** An update that changes no field: there is nothing to send but its associations. */
export function isOnlyAssociations(write: Pick<UpdateWrite, 'fields' | 'associations'>): boolean {
  return Object.keys(write.fields).length === 0 && Boolean(write.associations?.length);
}

/** `PATCH /objects/{object}/{id}`. A merged record answers under the id that survived. Source: reference A2, A3. */
async function patch(api: HubspotApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, fields } = write;
  const answer = await api.call(
    {
      operation: 'update',
      method: 'PATCH',
      path: api.urls.object(objectName, recordId),
      body: { properties: toProperties(fields) },
    },
    write,
  );
  const result = toRecordResult(answer);
  if (!result.ok || result.recordId === recordId) return result;
  return { ...result, warnings: [...(result.warnings ?? []), mergedWarning(recordId, result.recordId)] };
}
