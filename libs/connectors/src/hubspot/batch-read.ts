import type { BatchRead } from '../requests';
import type { ProviderRecord } from '../results';
import { assertBatchSize } from './batch-limit';
import type { HubspotApi } from './call-hubspot';
import { toProviderError } from '../thrown-failure';
import { toProviderRecord } from './provider-record';
import { normalizeValue } from './same-value';
import { isOver, readBatch, textsOf, type WireBatch } from './wire';

/**
 * `POST /objects/{object}/batch/read`, by id or by a unique property (`idProperty`). Served from the record store,
 * so it does not lag like search does. Source: reference A3.
 * An absent record is one that HubSpot does not know. A reply that leaves records out for another reason is a
 * failure: taking it for absence would send a create twice.
 * @throws ProviderError
 */
export async function batchRead(api: HubspotApi, read: BatchRead): Promise<(ProviderRecord | undefined)[]> {
  const { objectName, byProperty } = read;
  const wanted = byProperty ? byProperty.values : read.ids;
  assertBatchSize(wanted.length);
  if (wanted.length === 0) return [];
  const unique = [...new Map(wanted.map((value) => [normalizeValue(value), value])).values()];
  const properties = byProperty ? [...new Set([...read.fields, byProperty.name])] : read.fields;
  const answer = await api.call(
    {
      operation: 'batch-read',
      method: 'POST',
      path: api.urls.batch(objectName, 'read'),
      body: {
        ...(byProperty && { idProperty: byProperty.name }),
        properties,
        propertiesWithHistory: [],
        inputs: unique.map((id) => ({ id })),
      },
    },
    read,
  );
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  const batch = readBatch(answer.body);
  const records = align(wanted, batch, byProperty?.name);
  if (records.includes(undefined)) assertOnlyAbsent(batch);
  return unique.length === 1
    ? records.map((record) => record ?? only(batch))
    : readStrays(api, read, { wanted, batch, records });
}

interface Reply {
  readonly wanted: readonly string[];
  readonly batch: WireBatch;
  readonly records: (ProviderRecord | undefined)[];
}

function align(wanted: readonly string[], batch: WireBatch, property: string | undefined): Reply['records'] {
  const found = new Map<string, ProviderRecord>();
  for (const record of batch.results) {
    const key = property === undefined ? record.id : record.properties[property];
    found.set(normalizeValue(key), toProviderRecord(record));
  }
  return wanted.map((value) => found.get(normalizeValue(value)));
}

/** What a read of one id or value returned, under whatever id or value. */
function only(batch: WireBatch): ProviderRecord | undefined {
  const [record, ...others] = batch.results;
  return record && others.length === 0 ? toProviderRecord(record) : undefined;
}

/**
 * A merged record answers under the id that survived, one with several emails under its first. Asked for alone, it
 * is clear to whom such an answer belongs.
 */
async function readStrays(api: HubspotApi, read: BatchRead, reply: Reply): Promise<Reply['records']> {
  const { wanted, batch, records } = reply;
  const used = new Set(records.map((record) => record?.id));
  if (batch.results.every(({ id }) => used.has(id))) return records;
  const absent = new Set(batch.errors.flatMap(({ context }) => textsOf(context['ids'])).map(normalizeValue));
  for (const [index, value] of wanted.entries()) {
    if (records[index] || absent.has(normalizeValue(value))) continue;
    const { ids: _, byProperty, ...call } = read;
    const alone = byProperty ? { ...call, byProperty: { ...byProperty, values: [value] } } : { ...call, ids: [value] };
    [records[index]] = await batchRead(api, alone);
  }
  return records;
}

function assertOnlyAbsent(batch: WireBatch): void {
  const others = batch.errors.filter(({ category }) => category !== 'OBJECT_NOT_FOUND');
  const isCounted = batch.errorCount === 0 || batch.errors.length > 0;
  if (others.length === 0 && isOver(batch.status) && isCounted) return;
  const said = others[0]?.message ?? `status ${batch.status ?? 'unknown'}, ${batch.errorCount} errors`;
  throw toProviderError(
    {
      class: 'unavailable',
      scope: 'call',
      message: `HubSpot read only a part of the records: ${said}`,
    },
    'hubspot',
  );
}
