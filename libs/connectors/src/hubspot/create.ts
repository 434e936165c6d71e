import type { CreateWrite } from '../requests';
import type { RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';
import { toProperties, type PropertyCache } from './read-properties';
import { toRecordResult } from './record-result';
import { resendCreates } from './resend';
import { uniqueKeyOf } from './unique-key';

/** `POST /objects/{object}`. Source: reference A2, A4: associations are sent inline. */
export async function create(api: HubspotApi, cache: PropertyCache, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, associations } = write;
  const [resent] = (write.isResend && (await resendCreates(api, cache, { ...write, records: [write] }))) || [];
  if (resent) return resent;
  const answer = await api.call(
    {
      operation: 'create',
      method: 'POST',
      path: api.urls.objects(objectName),
      body: { properties: toProperties(fields), ...(associations?.length && { associations }) },
      isKeyed: uniqueKeyOf(objectName, fields) !== undefined,
    },
    write,
  );
  return toRecordResult(answer);
}
