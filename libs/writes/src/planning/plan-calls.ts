import { createHash } from 'node:crypto';
import type { PlannedCall, SealedRecord } from '@sluice/store';
import { limits, type ForwardedHeader } from '@sluice/types';

interface OpenCall {
  readonly number: number;
  readonly connectionId: string;
  readonly indexes: number[];
  readonly orderKeys: Set<string>;
  planBytes: number;
}

/** What one call may have. */
export interface CallBounds {
  /** Records that the provider takes in one call. */
  readonly records: number;
  /** @default `limits.callPlanBytesMax` */
  readonly planBytes?: number;
}

/**
 * Divides records, given in accept order, into provider calls. A call has at most as many records and as many bytes as the bounds say; a record that
 * alone has more goes alone. It has one connection, equal forwarded headers and no provider record twice. The second write to a record goes into a
 * later call. A record that waits for an unfinished write of another operation gets a call of its own, so that it delays no other record.
 */
export function planCalls(
  records: readonly SealedRecord[],
  { records: recordsMax, planBytes: planBytesMax = limits.callPlanBytesMax }: CallBounds,
): PlannedCall[] {
  const calls: OpenCall[] = [];
  const open = new Map<string, OpenCall[]>();
  const fits = (call: OpenCall, { planBytes }: SealedRecord): boolean =>
    call.indexes.length < recordsMax && call.planBytes + planBytes <= planBytesMax;
  for (const record of records) {
    const group = `${record.connectionId}/${record.headersKey}`;
    const candidates = record.isBehindAnother ? [] : (open.get(group) ?? []);
    const found = afterItsOwn(candidates, record).find((call) => fits(call, record));
    const call = found ?? {
      number: calls.length + 1,
      connectionId: record.connectionId,
      indexes: [],
      orderKeys: new Set(),
      planBytes: 0,
    };
    call.indexes.push(record.index);
    call.planBytes += record.planBytes;
    if (record.orderKey !== undefined) call.orderKeys.add(record.orderKey);
    if (found !== undefined) continue;
    calls.push(call);
    if (!record.isBehindAnother) open.set(group, [...(open.get(group) ?? []), call]);
  }
  return calls.map(({ number, connectionId, indexes, planBytes }) => ({
    number,
    connectionId,
    recordIndexes: indexes,
    planBytes,
  }));
}

/** The calls after the last one that holds the same provider record. */
function afterItsOwn(calls: readonly OpenCall[], { orderKey }: SealedRecord): readonly OpenCall[] {
  if (orderKey === undefined) return calls;
  return calls.slice(calls.findLastIndex((call) => call.orderKeys.has(orderKey)) + 1);
}

/**
 * What all writes to one provider record have in common: they run in accept order. Creates have no record yet and get none.
 * @param recordKey of the record's id, by its connector: the id may be sent in several forms
 */
export function orderKeyOf(laneId: string, objectName: string, recordKey: string | undefined): string | undefined {
  return recordKey === undefined ? undefined : `${laneId}/${objectName}/${recordKey}`;
}

/** Equal for equal forwarded headers, so that records of one call share them. Empty: none. */
export function headersKeyOf(headers: readonly ForwardedHeader[] | undefined): string {
  if (headers === undefined || headers.length === 0) return '';
  const canonical = headers
    .map(({ key, value }) => `${key.toLowerCase()}: ${value}`)
    .sort()
    .join('\n');
  return createHash('sha256').update(canonical).digest('base64url');
}
