import type { CreateWrite } from '../requests';
import type { RecordResult } from '../results';
import type { SalesforceApi } from './call-salesforce';
import type { Describe } from './describe';
import { paths } from './paths';
import { resendCreates } from './resend';
import { refusedObject, toRecordResult } from './save-result';
import { toSent } from './sent-values';

/** `POST /sobjects/{object}` with the fields as they are. Source: reference B2. */
export async function create(api: SalesforceApi, describe: Describe, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, headers, auth } = write;
  const refused = refusedObject(objectName);
  if (refused) return refused;
  const [resent] = (write.isResend && (await resendCreates(api, describe, { ...write, records: [write] }))) || [];
  if (resent) return resent;
  const answer = await api.call(
    {
      operation: 'create',
      method: 'POST',
      path: paths.objects(objectName),
      body: toSent(fields),
      ...(headers && { headers }),
    },
    write,
  );
  return toRecordResult(answer, { write: 'create', token: auth.accessToken });
}
