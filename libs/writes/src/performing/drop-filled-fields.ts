import type { ProviderFailure, ProviderRecord } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { AuthorizedCall } from './perform-call';
import type { Sendable } from './sendable';

/** The records with their `ifEmpty` fields decided, or why the read failed: nothing is written blindly. */
export type FilledReading =
  | { readonly ok: true; readonly records: readonly Sendable[] }
  | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * Drops `ifEmpty` fields that already hold a value at the provider, in one extra read per call. Unset is null, absent or "";
 * false and 0 are values. Repeated on every attempt, so that a value the customer typed meanwhile is kept.
 * Source: specification, writeOnUpdate. The race between read and write is documented.
 */
export async function dropFilledFields(request: AuthorizedCall): Promise<FilledReading> {
  const conditional = request.records.filter(({ write }) => (write.ifEmpty?.length ?? 0) > 0);
  if (conditional.length === 0) return { ok: true, records: request.records };
  if (request.connector.readBatch === undefined) return { ok: false, failure: cannotRead(request.connector.provider) };
  try {
    const current = await read(request, conditional);
    return { ok: true, records: request.records.map((record) => withoutFilled(record, current.get(record.index))) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ok: false, failure: toFailure(error) };
  }
}

/** A read changes nothing, so its unknown outcome is a plain failure. A 429 speaks of the lane, whatever was refused. */
function toFailure(error: ProviderError): ProviderFailure {
  const isUncertain = error.class === 'unknown' || error.class === 'timeout';
  return {
    class: isUncertain ? 'unavailable' : error.class,
    message: error.detail,
    scope: error.class === 'quota' ? 'lane' : 'call',
    // One field that the account lacks fails the read of all. Source: reference, 2, Salesforce.
    ...(error.class === 'rejected' && error.meta['status'] === 400 ? { mayBeOneRecord: true } : {}),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}

function cannotRead(provider: string): ProviderFailure {
  return { class: 'rejected', message: `${provider} cannot read records, which ifEmpty needs.`, scope: 'call' };
}

async function read(
  { connector, auth, hold, call }: AuthorizedCall,
  records: readonly Sendable[],
): Promise<Map<number, ProviderRecord | undefined>> {
  const ids = [...new Set(records.map(({ write }) => write.recordId as string))];
  const fields = [...new Set(records.flatMap(({ write }) => write.ifEmpty ?? []))];
  const { objectName, traceparent } = call;
  const found =
    (await connector.readBatch?.({ auth, signal: hold.signal, objectName, traceparent, ids, fields })) ?? [];
  const byId = new Map(ids.map((id, at) => [id, found[at]]));
  return new Map(records.map(({ index, write }) => [index, byId.get(write.recordId as string)]));
}

function withoutFilled(record: Sendable, current: ProviderRecord | undefined): Sendable {
  const filled = new Set(record.write.ifEmpty?.filter((field) => !isEmpty(current?.fields[field])));
  const fields = Object.fromEntries(Object.entries(record.write.fields).filter(([field]) => !filled.has(field)));
  return { ...record, write: { ...record.write, fields } };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
