import type { PlannedCall, SealedRecord } from '@sluice/store';

interface OpenCall {
  readonly number: number;
  readonly connectionId: string;
  readonly indexes: number[];
  readonly orderKeys: Set<string>;
}

/**
 * Divides records, given in accept order, into provider calls. A call has at most `limit` records, one connection, equal
 * forwarded headers and no provider record twice; the second write to a record goes into a later call. A record that
 * stands behind an unfinished write of another operation gets a call of its own, so that it holds up nobody else.
 * Source: design, section 5.7.
 */
export function planCalls(records: readonly SealedRecord[], limit: number): PlannedCall[] {
  const calls: OpenCall[] = [];
  const open = new Map<string, OpenCall[]>();
  for (const record of records) {
    const group = `${record.connectionId}/${record.headersKey}`;
    const candidates = record.isBehindAnother ? [] : (open.get(group) ?? []);
    const found = findPlace(candidates, record, limit);
    const call = found ?? {
      number: calls.length + 1,
      connectionId: record.connectionId,
      indexes: [],
      orderKeys: new Set(),
    };
    call.indexes.push(record.index);
    if (record.orderKey !== undefined) call.orderKeys.add(record.orderKey);
    if (found !== undefined) continue;
    calls.push(call);
    if (!record.isBehindAnother) open.set(group, [...(open.get(group) ?? []), call]);
  }
  return calls.map(({ number, connectionId, indexes }) => ({ number, connectionId, recordIndexes: indexes }));
}

/** The first call with room after the last one that holds the same provider record. */
function findPlace(calls: readonly OpenCall[], record: SealedRecord, limit: number): OpenCall | undefined {
  const { orderKey } = record;
  const last = orderKey === undefined ? -1 : calls.findLastIndex((call) => call.orderKeys.has(orderKey));
  return calls.slice(last + 1).find((call) => call.indexes.length < limit);
}
