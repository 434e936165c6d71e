import { failureClasses, type FailureClass, ProviderError, retryOf } from '@sluice/errors';
import type { Fields, ProviderFailure, RecordResult } from '@sluice/connectors';
import type { Reply } from '@sluice/http';
import type { EndedRecord } from '@sluice/store';
import type {
  AcceptedWriteReply,
  BatchWriteReply,
  JsonValue,
  RecordProblem,
  RefusedWriteReply,
  SingleWriteReply,
  WritePlan,
  WriteResult,
  WriteType,
  BatchDryRunReply,
  DryRunReply,
} from '@sluice/types';
import type { PlannedWrite } from '@sluice/writes';
import type { GatewayContext } from './context';
import { resolveWrite, unmappedOf, type WriteCall } from './resolve-write';

/** A synchronous write that has ended, as far as its reply needs it. */
export interface EndedWrite {
  readonly operationId: string;
  readonly type: WriteType;
  /** The request came in the batch form, also when it held one record. */
  readonly isBatch: boolean;
  /** In request order. */
  readonly results: readonly RecordResult[];
  /** What was written of each record, as far as it is known, in the same order; of one that failed, what was planned. */
  readonly sentFields: readonly (Fields | undefined)[];
  /** Operations whose queued writes to the same record were overtaken. */
  readonly queuedBehind: readonly string[];
  /** Mapped names of the request that the customer chose no field for. */
  readonly unmapped: readonly string[];
  /** Absent where another process sent it. */
  readonly connectionId?: string;
}

/**
 * The reply of a synchronous write. The specification is silent on the bodies, so they have the published API's shapes (see rulings). A 200 has
 * the record, a 422 that the provider refused it. A problem reports that the whole call failed.
 * @throws ProviderError for quota, availability, credentials and unknown outcomes
 */
export function presentWrite(ended: EndedWrite): Reply {
  const whole = wholeFailure(ended.results);
  if (whole !== undefined) throw toProviderError(whole, ended);
  const reply = ended.isBatch ? presentBatch(ended) : presentSingle(ended);
  const { queuedBehind, unmapped } = ended;
  const warnings = [
    ...(queuedBehind.length === 0 ? [] : [overtaken(queuedBehind)]),
    ...(unmapped.length === 0 ? [] : [notWritten(unmapped)]),
  ];
  return warnings.length === 0 ? reply : { ...reply, headers: { 'Sluice-Warning': warnings.join('; ') } };
}

/** Failures that say nothing about a record: a batch that has only such answers like a single write. */
function wholeFailure(results: readonly RecordResult[]): ProviderFailure | undefined {
  const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
  if (failures.length < results.length) return undefined;
  if (failures.some(isRefusal)) return undefined;
  // One record of unknown outcome forbids what the others would allow: to send the whole batch again.
  return failures.find(isAmbiguous) ?? failures[0];
}

function isAmbiguous(failure: ProviderFailure): boolean {
  return failure.class === 'unknown' || failure.class === 'timeout';
}

function isRefusal(failure: ProviderFailure): boolean {
  return retryOf(failure.class) === 'never';
}

/** What a caller can do about an outcome that nobody knows. A create would be doubled; the others end in the same state. */
const ambiguous: Readonly<Record<WriteType, { readonly retryable: boolean; readonly remedy: string }>> = {
  create: {
    retryable: false,
    remedy: 'Look up the record at the provider, and send it again only if it is not there.',
  },
  update: {
    retryable: true,
    remedy: 'Send the same request again: writing the same values twice ends in the same record.',
  },
  delete: {
    retryable: true,
    remedy: 'Send the same request again: a record that is deleted already stays deleted.',
  },
};

function toProviderError(failure: ProviderFailure, { operationId, type, connectionId }: EndedWrite): ProviderError {
  const { retryable, remedy } = ambiguous[type];
  const isRefused = failure.class === 'credentials' && connectionId !== undefined;
  return new ProviderError({
    class: failure.class,
    detail: failure.message,
    meta: { operationId, ...(isAmbiguous(failure) ? { retryable } : {}) },
    ...(isAmbiguous(failure) ? { remedy } : {}),
    ...(isRefused ? { remedy: reconnectRemedy(connectionId) } : {}),
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  });
}

const reconnectRemedy = (connectionId: string): string =>
  `Let the customer connect again, or update the credentials of connection ${connectionId}; then send the same request.`;

function presentSingle(ended: EndedWrite): Reply {
  const { operationId } = ended;
  const result = present(ended, 0);
  if (result.success) return { status: 200, body: { operationId, result } satisfies SingleWriteReply };
  const { errors = [], problems = [] } = result;
  return {
    status: 422,
    body: { operationId, errors, problems, result: { success: false } } satisfies RefusedWriteReply,
  };
}

function presentBatch(ended: EndedWrite): Reply {
  const { operationId, results } = ended;
  const successCount = results.filter((result) => result.ok).length;
  const body: BatchWriteReply = {
    operationId,
    successCount,
    failureCount: results.length - successCount,
    results: results.map((_, at) => present(ended, at)),
  };
  return { status: successCount > 0 ? 200 : 422, body };
}

/** A provider without a reply body: what was written, plus the id. A deleted record has no data. */
function present({ type, results, sentFields }: EndedWrite, at: number): WriteResult {
  const result = results[at] as RecordResult;
  const sent = sentFields[at];
  if (!result.ok) {
    const { message, problems = [{ message }] } = result.error;
    return { success: false, errors: [{ message }], problems: problems.map((problem) => withValue(problem, sent)) };
  }
  const { recordId, warnings = [] } = result;
  const data = (result.data ?? { ...sent, id: recordId }) as Record<string, JsonValue>;
  return {
    success: true,
    recordId,
    ...(type === 'delete' ? {} : { data }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((message) => ({ message })) }),
  };
}

/** Of a longer value a form has the text itself, and twenty problems may name the same field. */
const valueCharactersMax = 1_000;

/** A value goes only into the reply to who sent it. */
function withValue(problem: RecordProblem, sent: Fields = {}): RecordProblem {
  const name = Object.keys(sent).find((each) => each.toLowerCase() === problem.providerField?.toLowerCase());
  const value = name === undefined ? undefined : (sent[name] as JsonValue);
  const isShort = value !== undefined && JSON.stringify(value).length <= valueCharactersMax;
  return isShort ? { ...problem, value } : problem;
}

function overtaken(operationIds: readonly string[]): string {
  return `queued asynchronous writes to this record were overtaken: ${operationIds.join(', ')}`;
}

/** Names in one warning, and characters of each: a request may have 2,000 names, and a proxy refuses long headers. */
const shownNamesMax = 20;
const nameCharactersMax = 60;

/** A header takes visible ASCII only. */
function notWritten(names: readonly string[]): string {
  const shown = names.slice(0, shownNamesMax).map((name) => {
    const isCut = name.length > nameCharactersMax;
    const text = name
      .slice(0, nameCharactersMax)
      .toWellFormed()
      .replace(/[^\x21-\x7e]/gu, encodeURIComponent);
    return isCut ? `${text}...` : text;
  });
  const more = names.length > shownNamesMax ? ` and ${names.length - shownNamesMax} more` : '';
  return `not written, because the customer chose no field for them: ${shown.join(', ')}${more}`;
}

/** A synchronous write that another process ended after its gateway died: the records hold all that is known. */
export function toEndedWrite({ request }: WriteCall, operationId: string, records: readonly EndedRecord[]): EndedWrite {
  const plans = records.map(({ plan }) => (plan === undefined ? undefined : (JSON.parse(plan) as WritePlan)));
  return {
    operationId,
    type: request.type,
    isBatch: request.batch !== undefined,
    results: records.map((record, at) => toResult(record, plans[at])),
    sentFields: plans.map((plan) => plan && surelySent(plan)),
    queuedBehind: [],
    unmapped: unmappedOf(plans.flatMap((plan) => plan?.notes ?? [])),
  };
}

/** Without the `ifEmpty` fields: what was decided of them is not kept. */
function surelySent({ fields, ifEmpty = [] }: WritePlan): WritePlan['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !ifEmpty.includes(field)));
}

function toResult(record: EndedRecord, plan: WritePlan | undefined): RecordResult {
  if (record.outcome === 'succeeded') {
    const { warnings } = record;
    return { ok: true, recordId: record.providerId ?? plan?.recordId ?? '', ...(warnings && { warnings }) };
  }
  const known = failureClasses.find((each) => each === record.errorClass);
  const fallback: FailureClass = record.outcome === 'unknown' ? 'unknown' : 'rejected';
  const isUnsure = known === 'unknown' || known === 'timeout';
  const failed = known === undefined || (record.outcome === 'unknown') !== isUnsure ? fallback : known;
  const { errorText: message = 'The write failed.', problems } = record;
  return { ok: false, error: { class: failed, message, scope: 'record', ...(problems && { problems }) } };
}

/** Where an asynchronous write went. */
interface AcceptedWrite {
  readonly operationId: string;
  /** Index of the record in its operation, from 0; of a batch: of its first record. */
  readonly index: number;
  /** When its batch leaves at the latest, of an auto-batched write. */
  readonly dueTime?: string | undefined;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string | undefined;
  /** See `EndedWrite`. @default none, also for the repeat of a request: its key keeps no more than where the write went */
  readonly unmapped?: readonly string[];
}

/** The reply of an accepted write. Only after the commit: the id is the operation that writes the record. */
export function presentAccepted({ operationId, index, dueTime, ref, unmapped = [] }: AcceptedWrite) {
  const body: AcceptedWriteReply = { operationId, ...(dueTime === undefined ? {} : { dueTime }) };
  const headers: Record<string, string> = {
    'Sluice-Record-Index': String(index),
    ...(ref === undefined ? {} : { 'Sluice-Record-Ref': ref }),
    ...(unmapped.length === 0 ? {} : { 'Sluice-Warning': notWritten(unmapped) }),
  };
  return { status: 200, body, headers } satisfies Reply;
}

/**
 * Answers `?dryRun=true`: every rule that a write is checked by before it is stored, and the decision per field. Nothing is
 * stored, no quota is taken, the provider is not called.
 */
export async function presentPlans(context: GatewayContext, call: WriteCall): Promise<DryRunReply | BatchDryRunReply> {
  // No accept compares afterwards what the plan was made from: read as it is now.
  const write = await resolveWrite(context, call, await context.installations.resolveAgain(call.names), true);
  const plans = write.planned.map(toReply);
  return write.isBatch ? { plans } : (plans[0] ?? { plan: [] });
}

function toReply({ plan, decisions }: PlannedWrite): DryRunReply {
  return { plan: decisions, ...(plan.associations?.length ? { associations: plan.associations } : {}) };
}
