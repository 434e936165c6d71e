import type { DeleteWrite } from '../requests';
import type { RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';

/**
 * `DELETE /objects/{object}/{id}`: HubSpot archives the record. It answers 204 whether the record was there or not,
 * so a success says that it is gone and no more. Source: reference A2.
 */
export async function deleteRecord(api: HubspotApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId } = write;
  const path = api.urls.object(objectName, recordId);
  const answer = await api.call({ operation: 'delete', method: 'DELETE', path }, write);
  return answer.ok ? { ok: true, recordId } : { ok: false, error: answer.failure };
}
