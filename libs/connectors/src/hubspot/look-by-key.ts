import { ProviderError } from '@sluice/errors';
import type { ObjectCall } from '../requests';
import type { FoundCreated } from '../results';
import { batchLimit } from './batch-limit';
import { batchRead } from './batch-read';
import type { HubspotApi } from './call-hubspot';
import { toFailedLook, toKeyed } from './created-matches';
import { toFailure } from '../thrown-failure';
import type { Look, Looked } from './find-created';
import type { UniqueKey } from './unique-key';

type KeyedLook = Look & { readonly key: UniqueKey };

/**
 * By batch read on the unique property, one property per call: sees every committed record. A record with the key that is older is
 * somebody else's: `none`, and the resend then meets HubSpot's conflict, as it should.
 */
export async function lookByKey(api: HubspotApi, call: ObjectCall, looks: readonly KeyedLook[]): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const [name, same] of Map.groupBy(looks, ({ key }) => key.name)) {
    for (let at = 0; at < same.length; at += batchLimit) {
      const chunk = same.slice(at, at + batchLimit);
      const found = await lookForChunk(api, call, name, chunk);
      looked.push(...chunk.map((look, index): Looked => [look, found[index] as FoundCreated]));
    }
  }
  return looked;
}

async function lookForChunk(
  api: HubspotApi,
  call: ObjectCall,
  name: string,
  looks: readonly KeyedLook[],
): Promise<FoundCreated[]> {
  const values = looks.map(({ key }) => key.value);
  const fields = [...new Set(['createdate', ...looks.flatMap((look) => Object.keys(look.fields))])];
  try {
    const records = await batchRead(api, { ...call, fields, byProperty: { name, values } });
    return looks.map((look, index) => {
      const record = records[index];
      return record instanceof ProviderError ? toFailedLook(toFailure(record), true) : toKeyed(look, record);
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return looks.map(() => toFailedLook(toFailure(error), true));
  }
}
