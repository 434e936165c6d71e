import type { CreateWrite } from '../requests';
import type { RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';
import { toProperties } from './properties';
import { toRecordResult } from './record-result';
import { uniqueKeyOf } from './unique-key';

/** `POST /objects/{object}`. Source: reference A2, A4: associations are sent inline. */
export async function create(api: HubspotApi, write: CreateWrite): Promise<RecordResult> {
  const { objectName, fields, associations } = write;
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
