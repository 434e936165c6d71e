import type { Auth, Connector, ObservedExchange, ObservedQuota, RecordResult } from '@sluice/connectors';
import { DefectError } from '@sluice/errors';
import type { AttemptOutcome, ClaimedCall } from '@sluice/store';
import type { Hold } from '../leasing/lease-keeper';
import { dropFilledFields } from './drop-filled-fields';
import type { Sendable } from './sendable';

/** One provider call to make. */
export interface CallToPerform {
  readonly call: Pick<ClaimedCall, 'objectName' | 'type' | 'allOrNone' | 'traceparent'>;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  readonly auth: Auth;
  readonly hold: Pick<Hold, 'signal' | 'mayStillSend'>;
}

/** The outcome per record, in the order of the records, and the exchange as the attempt keeps it. */
export interface PerformedCall {
  readonly results: readonly RecordResult[];
  readonly attempt: AttemptOutcome;
  /** The account's burst limit, where a reply stated it. */
  readonly quota?: ObservedQuota;
}

/**
 * Makes the provider call: one request for the whole call, after one read where a plan has `ifEmpty` fields.
 * Never throws for what a provider does. The intent is committed before this is called.
 */
export async function performCall(request: CallToPerform): Promise<PerformedCall> {
  const startedAtMs = performance.now();
  let seen: ObservedExchange | undefined;
  const observe = (exchange: ObservedExchange): void => {
    seen = exchange;
  };
  const results = await send({ ...request, observe });
  const failure = results.find((result) => !result.ok)?.error;
  return {
    results,
    ...(seen?.quota === undefined ? {} : { quota: seen.quota }),
    attempt: {
      durationMs: performance.now() - startedAtMs,
      ...(seen?.status === undefined ? {} : { status: seen.status }),
      ...(seen?.providerRequestId === undefined ? {} : { providerRequestId: seen.providerRequestId }),
      ...(failure === undefined ? {} : { error: { class: failure.class, text: failure.message } }),
    },
  };
}

type ObservedCall = CallToPerform & { readonly observe: (exchange: ObservedExchange) => void };

async function send(request: ObservedCall): Promise<readonly RecordResult[]> {
  const reading = await dropFilledFields(request);
  if (!reading.ok) return request.records.map(() => ({ ok: false, error: reading.failure }));
  // A record whose every field is filled needs no call: its slot in the results stays.
  const toSend = reading.records.filter((record) => !isEmptyUpdate(record));
  const sent = toSend.length === 0 ? [] : await sendInTime({ ...request, records: toSend });
  if (sent.length !== toSend.length) throw defect(request, sent.length);
  const byIndex = new Map(toSend.map((record, at) => [record.index, sent[at] as RecordResult]));
  return reading.records.map(
    (record) => byIndex.get(record.index) ?? { ok: true, recordId: record.write.recordId as string },
  );
}

function isEmptyUpdate({ write }: Sendable): boolean {
  return write.type === 'update' && Object.keys(write.fields).length === 0 && !write.associations?.length;
}

/** Asked here, because the process may have been paused since the intent or during the read, and nothing has aborted it yet. */
async function sendInTime(request: ObservedCall): Promise<readonly RecordResult[]> {
  if (request.hold.mayStillSend()) return await sendAll(request);
  const error = {
    class: 'unavailable',
    message: 'Not sent: the lease of the call has run out.',
    scope: 'call',
  } as const;
  return request.records.map(() => ({ ok: false, error }));
}

async function sendAll(request: ObservedCall): Promise<readonly RecordResult[]> {
  const { call, records, connector, auth, hold, observe } = request;
  const base = { auth, signal: hold.signal, observe, objectName: call.objectName, traceparent: call.traceparent };
  const headers = records[0]?.write.headers;
  const shared = { ...base, ...(headers === undefined ? {} : { headers }) };
  const writes = records.map(({ write }) => write);
  const [only] = writes;
  if (call.type === 'create') {
    const items = writes.map(({ fields, associations }) => ({ fields, ...(associations && { associations }) }));
    if (items.length === 1 && items[0] && connector.create) return [await connector.create({ ...shared, ...items[0] })];
    if (connector.createBatch)
      return await connector.createBatch({ ...shared, records: items, allOrNone: call.allOrNone });
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

function defect(request: CallToPerform, results: number): DefectError {
  const detail = `${request.connector.provider} answered ${results} of ${request.records.length} records.`;
  return new DefectError({ code: 'service.defect', detail });
}
