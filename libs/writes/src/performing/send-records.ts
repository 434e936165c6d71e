import type { Auth, MayBeResend, ObservedExchange, RecordResult } from '@sluice/connectors';
import { DefectError } from '@sluice/errors';
import type { CallToPerform, Sendable } from './sendable';

/** A call with the credentials of one try, and what watches it. */
interface AuthorizedCall extends CallToPerform {
  readonly auth: Auth;
  readonly observe: (exchange: ObservedExchange) => void;
}

/**
 * One request to the provider. @throws DefectError when the connector lacks the method, or answers another number of records
 */
export async function sendRecords(request: AuthorizedCall): Promise<readonly RecordResult[]> {
  const results = await send(request);
  if (results.length === request.records.length) return results;
  const detail = `${request.connector.provider} answered ${results.length} of ${request.records.length} records.`;
  throw new DefectError({ code: 'service.defect', detail });
}

/** By the method that fits the call: single where it is one record, else the batch. */
async function send(request: AuthorizedCall): Promise<readonly RecordResult[]> {
  const { call, records, connector, auth, hold, held, observe } = request;
  const { objectName, traceparent } = call;
  const base = { auth, signal: hold.signal, held, observe, objectName, traceparent, ...resendOf(request) };
  const headers = records[0]?.write.headers;
  const shared = { ...base, ...(headers === undefined ? {} : { headers }) };
  const writes = records.map(({ write }) => write);
  const [only] = writes;
  if (call.type === 'create') {
    const { findClaimed } = request;
    const create = { ...shared, ...(base.isResend && findClaimed && { findClaimed }) };
    const items = records.map(({ firstSentAt, write: { fields, associations } }) => ({
      fields,
      ...(associations && { associations }),
      ...(base.isResend && firstSentAt && { firstSentAt }),
    }));
    if (items.length === 1 && items[0] && connector.create) return [await connector.create({ ...create, ...items[0] })];
    if (connector.createBatch)
      return await connector.createBatch({ ...create, records: items, allOrNone: call.allOrNone });
  }
  if (call.type === 'update') {
    const items = writes.map(({ fields, recordId, associations }) => ({
      fields,
      recordId: recordId as string,
      ...(associations && { associations }),
    }));
    if (only && items.length === 1 && items[0] && connector.update) {
      return [await connector.update({ ...shared, ...items[0] })];
    }
    if (connector.updateBatch)
      return await connector.updateBatch({ ...shared, records: items, allOrNone: call.allOrNone });
  }
  if (call.type === 'delete' && only && writes.length === 1 && connector.delete) {
    return [await connector.delete({ ...shared, recordId: only.recordId as string })];
  }
  throw new DefectError({
    code: 'service.defect',
    detail: `${connector.provider} cannot ${call.type} ${records.length} records in one call.`,
  });
}

function resendOf({ call, records }: AuthorizedCall): MayBeResend {
  return records.some((record) => mayBeCarriedOut(record, call.attempts)) ? { isResend: true } : {};
}

/** Classes of a failure after which nothing was written. */
const notWritten = new Set(['unavailable', 'quota', 'credentials']);

/**
 * An earlier send of the record may have been carried out. Its last error tells of one send only: after more of them, one that was never
 * answered may be among them.
 */
function mayBeCarriedOut({ firstSentAt, lastError }: Sendable, attempts: number | undefined): boolean {
  return firstSentAt !== undefined && !(attempts === 1 && notWritten.has(lastError?.class ?? ''));
}
