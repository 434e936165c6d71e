import type { BatchCreate } from '../requests';
import type { RecordResult } from '../results';
import { assertBatchSize } from './batch-limit';
import type { SalesforceApi } from './call-salesforce';
import type { Describe } from './describe';
import { matchOutcomes } from './match-outcomes';
import { paths } from './paths';
import { resendCreates } from './resend';
import { refusedObject } from './save-result';
import { toSent } from './values';

/** `POST /composite/sobjects`: one call, 200 whatever becomes of the records. Source: reference B3. */
export async function batchCreate(api: SalesforceApi, describe: Describe, write: BatchCreate): Promise<RecordResult[]> {
  const { objectName, records, headers, auth, allOrNone = false } = write;
  assertBatchSize(records.length);
  const refused = refusedObject(objectName);
  if (refused || records.length === 0) return records.map(() => refused as RecordResult);
  const resent = write.isResend ? await resendCreates(api, describe, write) : undefined;
  if (resent) return resent;
  const sent = records.map(({ fields }) => ({ ...toSent(fields), attributes: { type: objectName } }));
  const answer = await api.call(
    {
      operation: 'batch-create',
      method: 'POST',
      path: paths.collections,
      body: { allOrNone, records: sent },
      ...(headers && { headers }),
    },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  const token = auth.accessToken;
  return matchOutcomes(answer.body, { write: 'create', inputs: records.map(() => undefined), allOrNone, token });
}
