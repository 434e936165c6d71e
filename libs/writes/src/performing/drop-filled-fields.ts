import type { ProviderFailure, ProviderRecord, RecordRead } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import { toReadFailure, type Attempt } from './attempt';
import type { Sendable } from './sendable';

/** A record with its `ifEmpty` fields decided, or why it could not be read: nothing is written blindly. */
export type Decided =
  { readonly ok: true; readonly record: Sendable } | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * Drops `ifEmpty` fields that already hold a value at the provider, in one extra read per call, by index of the record. Unset is null,
 * absent or ""; false and 0 are values. Repeated on every attempt, so that a value the customer typed meanwhile is kept. A read that is
 * refused for what may be one record is halved, and a record that alone cannot be read fails alone. Source: specification, writeOnUpdate. The race between read and write is documented.
 */
export async function dropFilledFields(attempt: Attempt): Promise<ReadonlyMap<number, Decided>> {
  const { records } = attempt.request;
  const conditional = records.filter(({ write }) => (write.ifEmpty?.length ?? 0) > 0);
  const read = conditional.length === 0 ? new Map<number, Decided>() : await decide(attempt, conditional);
  return new Map(records.map((record) => [record.index, read.get(record.index) ?? { ok: true, record }]));
}

async function decide(attempt: Attempt, records: readonly Sendable[]): Promise<Map<number, Decided>> {
  const { provider, readBatch } = attempt.request.connector;
  if (readBatch === undefined) return allOf(records, cannotRead(provider));
  const ids = [...new Set(records.map(({ write }) => write.recordId as string))];
  const fields = [...new Set(records.flatMap(({ write }) => write.ifEmpty ?? []))];
  const read = await attempt.read(ids, fields);
  if (read.ok) {
    const byId = new Map(ids.map((id, at) => [id, read.found[at]]));
    return new Map(
      records.map((record) => [record.index, decideRecord(record, byId.get(record.write.recordId as string))]),
    );
  }
  if (read.failure.mayBeOneRecord !== true || records.length === 1) return allOf(records, read.failure);
  const middle = Math.ceil(records.length / 2);
  const first = await decide(attempt, records.slice(0, middle));
  return new Map([...first, ...(await decide(attempt, records.slice(middle)))]);
}

function decideRecord(record: Sendable, current: RecordRead): Decided {
  if (current instanceof ProviderError) return { ok: false, failure: { ...toReadFailure(current), scope: 'record' } };
  return { ok: true, record: withoutFilled(record, current) };
}

function allOf(records: readonly Sendable[], failure: ProviderFailure): Map<number, Decided> {
  return new Map(records.map(({ index }) => [index, { ok: false, failure }]));
}

function cannotRead(provider: string): ProviderFailure {
  return { class: 'rejected', message: `${provider} cannot read records, which ifEmpty needs.`, scope: 'call' };
}

function withoutFilled(record: Sendable, current: ProviderRecord | undefined): Sendable {
  const filled = new Set(record.write.ifEmpty?.filter((field) => !isEmpty(current?.fields[field])));
  const fields = Object.fromEntries(Object.entries(record.write.fields).filter(([field]) => !filled.has(field)));
  return { ...record, write: { ...record.write, fields } };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
