import type { UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { paths } from './paths';
import { idRule, isRecordId } from './record-id';
import { refuse, refusedObject, toRecordResult } from './save-result';
import { toSentUpdate } from './values';

/** `PATCH /sobjects/{object}/{id}`, answered by an empty 204. Source: reference B2. */
export async function update(api: SalesforceApi, write: UpdateWrite): Promise<RecordResult> {
  const { objectName, recordId, fields, headers, auth } = write;
  const refused = refusedObject(objectName) ?? (isRecordId(recordId) ? undefined : refuse(idRule(recordId)));
  if (refused) return refused;
  const answer = await api.call(
    {
      operation: 'update',
      method: 'PATCH',
      path: paths.object(objectName, recordId),
      body: toSentUpdate(fields),
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'update', recordId, token: auth.accessToken });
}
