import type { FailureClass } from '@sluice/errors';
import { isJson } from '../http-client';
import { cleanText, recordFailure } from '../provider-call';
import type { BatchCreate, BatchUpdate } from '../requests';
import { type ProviderFailure, type RecordResult, wasThereWarning } from '../results';
import { isFinal, itemFailure, type SalesforceApi } from './call-salesforce';
import { unanswered } from './failure-tables';
import { idKey, isSameRecord, readSaved, type WireError, type WireSaved } from './wire';

/**
 * The outcome of each input in a collection's reply. Source: reference B3: outcomes come in request order.
 * Invariants: one outcome per input; what the reply does not clearly say is never a success.
 */

export interface MatchOptions {
  readonly write: 'create' | 'update';
  /** The ids that were updated; undefined for creates. One per record. */
  readonly inputs: readonly (string | undefined)[];
  readonly allOrNone: boolean;
  /** Masked in error texts. */
  readonly token: string;
}

/** Said of a record that only shares the fate of another. */
const rolledBack = /^(ALL_OR_NONE_OPERATION_ROLLED_BACK|PROCESSING_HALTED)$/;

/** An outcome, or `shared`: the record failed for what another one did. */
type Outcome = RecordResult | 'shared';

export function matchOutcomes(body: unknown, options: MatchOptions): RecordResult[] {
  const { inputs, allOrNone } = options;
  const items = Array.isArray(body) ? body.map(readSaved) : [];
  const ids = items.flatMap((item) => (item?.success === true && item.id !== undefined ? idKey(item.id) : []));
  // One record for two creates: which of them made it, the reply does not show.
  const isTwice = options.write === 'create' && new Set(ids).size < ids.length;
  if (items.length !== inputs.length || isTwice) return inputs.map(() => unreported(options));
  const outcomes = items.map((item, index) => outcomeOf(item, inputs[index], options));
  const causes = outcomes.flatMap((each) => (each === 'shared' || each.ok ? [] : [each.error]));
  const isNone = outcomes.every((each) => each === 'shared' || !each.ok);
  const cause = causes.find(isFinal) ?? causes[0];
  // A reply that refuses no record shows no roll-back: what it leaves open may have been written.
  const isRefused = items.some((item) => item?.success === false);
  return allOrNone && isNone && isRefused && cause
    ? rollBack(outcomes, cause)
    : outcomes.map((each) => inherit(isNone ? each : alone(each), cause));
}

/** What failed beside records that were written has a reason of its own: a smaller call would not help it. */
function alone(outcome: Outcome): Outcome {
  if (outcome === 'shared' || outcome.ok) return outcome;
  const { mayBeOneRecord: _, isOfSize: __, ...error } = outcome.error;
  return { ok: false, error };
}

function outcomeOf(saved: WireSaved | undefined, input: string | undefined, options: MatchOptions): Outcome {
  if (saved?.success === true) {
    const id = saved.id ?? input;
    const isOther = input !== undefined && id !== undefined && !isSameRecord(input, id);
    return id === undefined || isOther ? unreported(options) : { ok: true, recordId: input ?? id };
  }
  if (saved?.success !== false) return unreported(options);
  if (isShared(saved.errors)) return 'shared';
  return { ok: false, error: itemFailure(saved.errors, options.write, options.token) };
}

function isShared(errors: readonly WireError[]): boolean {
  return errors.length > 0 && errors.every(({ code }) => code !== undefined && rolledBack.test(code));
}

/**
 * Nothing was written. The records are retried as a whole or not at all. One record retried alone, while another will never be written, would break
 * `allOrNone`.
 */
function rollBack(outcomes: readonly Outcome[], cause: ProviderFailure): RecordResult[] {
  const isOver = isFinal(cause);
  return outcomes.map((each) => {
    if (each !== 'shared' && !each.ok && isOver && isFinal(each.error)) return withoutExisting(each.error);
    const own = each === 'shared' || each.ok ? undefined : each.error;
    if (isOver) return { ok: false, error: sharing(cause, own) };
    // Not `unknown`: the whole was rolled back.
    return {
      ok: false,
      error: { ...(own ?? sharing(cause)), class: cause.class === 'quota' ? 'quota' : 'unavailable' },
    };
  });
}

function inherit(outcome: Outcome, cause: ProviderFailure | undefined): RecordResult {
  if (outcome !== 'shared') return outcome;
  const message = 'Salesforce rolled the record back and does not say why';
  return {
    ok: false,
    error: cause ? sharing(cause) : recordFailure(unanswered.unexplained, message),
  };
}

/** The failure of one record, as it reaches another. */
function sharing(cause: ProviderFailure, own?: ProviderFailure): ProviderFailure {
  const { existingId: _, ...rest } = cause;
  const also = own ? ` This one: ${own.message}` : '';
  return {
    ...rest,
    message: cleanText(`Rolled back, because another record of the batch failed: ${cause.message}.${also}`),
  };
}

/** The record that a duplicate error names may be one of this batch, which is gone. */
function withoutExisting(error: ProviderFailure): RecordResult {
  const { existingId: _, ...rest } = error;
  return { ok: false, error: rest };
}

/** A create may have been written; an update can safely be sent again. */
function unreported({ write }: MatchOptions): RecordResult {
  return write === 'create'
    ? failed(unanswered.create.class, 'the reply does not show whether Salesforce created the record')
    : failed(unanswered.update.class, 'no result from Salesforce for the record');
}

export function failed(failureClass: FailureClass, message: string): RecordResult {
  return { ok: false, error: { class: failureClass, scope: 'record', message } };
}

interface Collection {
  readonly operation: 'batch-create' | 'batch-update' | 'batch-upsert';
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  /** Each record with its `attributes`; of an update also with its id. */
  readonly sent: readonly Readonly<Record<string, unknown>>[];
}

/** Sends a collection of records of one object, and matches its reply to them. */
export async function sendCollection(
  api: SalesforceApi,
  write: BatchCreate | BatchUpdate,
  { sent, ...request }: Collection,
): Promise<RecordResult[]> {
  const { headers, auth, allOrNone = false } = write;
  const answer = await api.call({ ...request, body: { allOrNone, records: sent }, headers }, write);
  if (!answer.ok) return sent.map(() => ({ ok: false, error: answer.failure }));
  const isUpdate = request.operation === 'batch-update';
  const inputs = sent.map(({ id }) => (isUpdate ? String(id) : undefined));
  const options = { write: isUpdate ? 'update' : 'create', inputs, allOrNone, token: auth.accessToken } as const;
  const results = matchOutcomes(answer.body, options);
  if (request.operation !== 'batch-upsert') return results;
  const items: unknown[] = Array.isArray(answer.body) ? answer.body : [];
  return results.map((result, at) => {
    const item = items[at];
    const wasThere = isJson(item) && item['created'] === false;
    return result.ok && wasThere ? { ...result, warnings: [wasThereWarning] } : result;
  });
}
