import type { DeleteWrite } from '../requests';
import type { RecordResult } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { paths } from './paths';
import { idRule, isRecordId } from './record-id';
import { refuse, refusedObject, toRecordResult } from './save-result';

/**
 * `DELETE /sobjects/{object}/{id}`, answered by an empty 204. A record that is not there is `not-found`, unless an earlier send
 * of the same may have deleted it. Source: reference B2, 1b.
 */
export async function deleteRecord(api: SalesforceApi, write: DeleteWrite): Promise<RecordResult> {
  const { objectName, recordId, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'delete',
      method: 'DELETE',
      path: paths.object(objectName, recordId),
      isResend: write.isResend ?? false,
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'delete', recordId, token: auth.accessToken });
}
