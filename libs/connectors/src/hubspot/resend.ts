import { ProviderError, retryOf } from '@sluice/errors';
import { toFailure } from '../provider-call';
import type { BatchCreate } from '../requests';
import { allRead, type RecordResult, wasThereWarning } from '../results';
import { batchRead } from './batch-read';
import type { HubspotApi } from './call-hubspot';
import { uniqueProperties } from './describe';
import { matchCreates, traceIdOf } from './match-results';
import { accountKeyOf, normalizeValue, paths, readBatch, toProperties, type UniqueKey } from './wire';

/**
 * Sends creates that may have been carried out before again, as an upsert by a property that the account keeps unique. If the earlier send is still
 * applied, it hits the same record. Only where no record has the values, because an upsert overwrites a record and a create never does (ADR 19).
 * Never by email, of which HubSpot makes no partial upsert, and without associations, which it does not take.
 * @returns undefined where that cannot be done: they are then created as ever, and a unique value that is taken is a conflict
 */
export async function resendCreates(api: HubspotApi, write: BatchCreate): Promise<RecordResult[] | undefined> {
  const { records } = write;
  if (records.some(({ associations }) => associations?.length)) return undefined;
  try {
    const unique = (await uniqueProperties(api, write)).filter((name) => name !== 'email');
    const keys = unique.map((name) => keysOf(name, records)).find((each) => each !== undefined);
    if (!keys || (await isTaken(api, write, keys))) return undefined;
    return await upsert(api, write, keys);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (retryOf(error.class) === 'never') return undefined;
    return records.map(() => ({ ok: false, error: toFailure(error) }));
  }
}

/** One property that every record sends, each with a value of its own. */
function keysOf(name: string, records: BatchCreate['records']): UniqueKey[] | undefined {
  const keys = records.flatMap(({ fields }) => accountKeyOf([name], fields) ?? []);
  const values = new Set(keys.map(({ value }) => normalizeValue(value)));
  return values.size === records.length ? keys : undefined;
}

async function isTaken(api: HubspotApi, write: BatchCreate, keys: readonly UniqueKey[]): Promise<boolean> {
  const { records: _, ...call } = write;
  const byProperty = { name: keys[0]?.name ?? '', values: keys.map(({ value }) => value) };
  const found = await batchRead(api, { ...call, fields: [], byProperty });
  return allRead(found).some((record) => record !== undefined);
}

/** `POST /objects/{object}/batch/upsert`. Source: reference A3. */
async function upsert(api: HubspotApi, write: BatchCreate, keys: readonly UniqueKey[]): Promise<RecordResult[]> {
  const { objectName, records, allOrNone, auth } = write;
  const inputs = records.map(({ fields }, index) => ({
    id: keys[index]?.value,
    idProperty: keys[index]?.name,
    properties: toProperties(fields),
    ...(!allOrNone && { objectWriteTraceId: traceIdOf(index) }),
  }));
  const path = paths.batch(objectName, 'upsert');
  const answer = await api.call(
    { operation: 'batch-upsert', method: 'POST', path, body: { inputs }, isKeyed: true },
    write,
  );
  if (!answer.ok) return records.map(() => ({ ok: false, error: answer.failure }));
  const sent = records.map(({ fields }) => fields);
  const results = matchCreates(sent, readBatch(answer.body), { objectName, token: auth.accessToken, keys });
  return results.map((result) =>
    result.ok && result.data?.['new'] === false
      ? { ...result, warnings: [...(result.warnings ?? []), wasThereWarning] }
      : result,
  );
}
