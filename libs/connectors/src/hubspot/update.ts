import type { UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';
import { mergedWarning, toRecordResult } from './record-result';
import { toProperties } from './properties';

/** `PATCH /objects/{object}/{id}`. A merged record answers under the id that survived. Source: reference A2, A3. */
export async function update(api: HubspotApi, write: UpdateWrite): Promise<RecordResult> {
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
