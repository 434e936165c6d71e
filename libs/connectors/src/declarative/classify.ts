import { retryOf } from '@sluice/errors';
import { callFailure, cleanText, failureClassOf, failureText, saidOtherwise } from '../provider-call';
import { type HttpOutcome, type HttpReply, isJson, type Json } from '../http-client';
import type { Auth } from '../requests';
import type { ProviderFailure } from '../results';
import { clockOf, statedWaitMs, waitOfText } from '../stated-wait';
import { decide, propertiesOf, wireSignal, type Signal, type FailureRow } from '../failure-table';
import type { Declaration, DeclaredWait, ErrorShape } from './declaration';
import { textAt, valueAt } from './template';

/** A call that did not end with a 2xx that says what it should. */
interface FailedCall {
  readonly on: Signal['on'];
  readonly outcome: HttpOutcome;
  /** What a whole 2xx lacks, or reports. Absent: another status, or none. */
  readonly flaw: 'unreadable' | 'failed' | undefined;
  readonly isKeyed: boolean;
  /** Of the credentials. */
  readonly kind: Auth['kind'];
  /** Never in a text. */
  readonly token: string;
}

/** Class, wait and text of it. */
export function classify(file: Declaration, table: readonly FailureRow[], call: FailedCall): ProviderFailure {
  const { on, outcome, flaw, isKeyed, kind } = call;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  // A success holds values of the record.
  const forms = reply && reply.status >= 300 ? [...file.errors, usualForm] : file.errors;
  const { codes = [], message, existingId } = readError(forms, reply?.json);
  const wire = flaw === 'unreadable' ? { status: reply?.status, fault: flaw } : wireSignal(outcome);
  const page = reply?.text?.trimStart().startsWith('<') === true;
  const is = propertiesOf({ keyed: isKeyed, failed: flaw === 'failed', json: reply?.json !== undefined, page });
  // Of several problems one that is the record's own decides over one that it shares with another record.
  const rows = (codes.length > 0 ? codes : [undefined]).map((one) =>
    decide(table, { on, ...wire, code: one, text: message ?? saidOtherwise(outcome), is }),
  );
  const row = (rows.find((one) => one.class === 'rejected') ?? rows[0]) as FailureRow;
  const isFinal = retryOf(failureClassOf(row)) === 'never';
  const unsaid = codes.filter((code) => !message?.includes(code)).slice(0, namedMax);
  const reason = unsaid.length === 0 ? message : [message, `(${unsaid.join(', ')})`].filter(Boolean).join(' ');
  const lack = flaw === 'unreadable' ? 'without what such a reply must say' : 'without a message';
  const ending = row.class === 'credentials' && (kind === 'basic' || kind === 'apiKey') && file.auth.ending?.[kind];
  const said = failureText(file.displayName, outcome, reason, lack);
  return callFailure(row, {
    outcome,
    on,
    isBatch: false,
    message: cleanText(ending ? `${said}; ${ending}` : said, call.token),
    waitMs: isFinal ? undefined : (waitOf(reply, Date.now(), file.waits) ?? row.waitMs),
    providerRequestId: requestIdOf(file, reply?.headers ?? {}),
    existingId,
  });
}

/** The provider's own id of a request. */
export function requestIdOf({ requestIdHeader }: Declaration, headers: Readonly<Record<string, string>>) {
  const id = requestIdHeader === undefined ? undefined : headers[requestIdHeader.toLowerCase()];
  return id === undefined ? undefined : cleanText(id.slice(0, 100));
}

/** What a body contains of an error. */
interface BodyError {
  readonly message?: string;
  /** Each once. */
  readonly codes?: readonly string[];
  readonly existingId?: string;
}

/** Most errors of a list that a text names. [own] */
const namedMax = 5;

/** Of a body that comes from in front of a provider's API, or from an older one. */
const usualForm: ErrorShape = { at: '', message: ['/message', '/detail', '/error_description', '/error'] };

/** By the first form that fits: one whose position is there and holds a message or a code. */
function readError(shapes: readonly ErrorShape[], body: unknown): BodyError {
  for (const shape of shapes) {
    const reason = readShape(shape, body);
    if (reason !== undefined) return reason;
  }
  return {};
}

function readShape(shape: ErrorShape, body: unknown): BodyError | undefined {
  const first = (error: unknown, pointers: readonly string[] = []) =>
    pointers.map((pointer) => textAt(error, pointer)).find((text) => text !== undefined);
  const errors = errorsAt(shape, body);
  const messages = errors.slice(0, namedMax).flatMap(({ error, of }) => {
    const said = first(error, shape.message);
    const field = first(error, shape.field)?.split('/').at(-1) ?? of;
    if (said === undefined) return [];
    const message = [said, ...detailsOf(shape, error, said)].join('; ');
    const isNamed = field === undefined || (of === undefined && message.includes(field));
    return [isNamed ? message : `${field}: ${message}`];
  });
  const codes = [...new Set(errors.flatMap(({ error }) => first(error, shape.code) ?? []))];
  if (messages.length === 0 && codes.length === 0) return undefined;
  const existingId = shape.existingId === undefined ? undefined : first(errors[0]?.error, [shape.existingId]);
  return {
    ...(messages.length > 0 && { message: messages.join('; ') }),
    codes,
    ...(existingId !== undefined && { existingId }),
  };
}

function detailsOf({ details = [] }: ErrorShape, error: unknown, said: string): string[] {
  return details.flatMap((pointer) => {
    const text = textAt(error, pointer);
    return text === undefined || said.includes(text) ? [] : `${pointer.split('/').at(-1)}: ${text}`;
  });
}

/** The errors of a body, each with the name that it stands under. */
function errorsAt(shape: ErrorShape, body: unknown): readonly { readonly error: unknown; readonly of?: string }[] {
  const found = valueAt(body, shape.at);
  if (shape.byField !== true) return listed(found).map((error) => ({ error }));
  return isJson(found) ? underNames(shape, found, nestedMax) : [];
}

/** How deep errors of a record's own lists may stand. [own] */
const nestedMax = 20;
/** What holds errors and is no name of a field. */
const holder = /^\d+$|errors$/;

/** What has no message of its own holds those of its members: of the fields of a list's items. */
function underNames(shape: ErrorShape, names: Json, levels: number): { error: unknown; of: string }[] {
  return Object.entries(names).flatMap(([name, errors]) =>
    listed(errors).flatMap((error) => {
      const isOne = !isJson(error) || shape.message?.some((pointer) => textAt(error, pointer) !== undefined);
      if (isOne || levels === 0) return [{ error, of: name }];
      return underNames(shape, error, levels - 1).map((inner) =>
        holder.test(inner.of) ? { ...inner, of: name } : inner,
      );
    }),
  );
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** The wait that a reply states, in milliseconds: as its file says, else in any form that is known; undefined where it states none. */
export function waitOf(
  reply: HttpReply | undefined,
  now: number,
  waits: readonly DeclaredWait[] = [],
): number | undefined {
  const headers = reply?.headers ?? {};
  for (const { header, unit } of waits) {
    const text = waitText(headers[header.toLowerCase()], unit, clockOf(headers, now));
    const wait = waitOfText(text, headers, now);
    if (wait !== undefined) return wait;
  }
  return statedWaitMs(reply, now);
}

const dayMs = 86_400_000;

/** What a header of this unit says, as a text that names its own. */
function waitText(value: string | undefined, unit: DeclaredWait['unit'], clock: number): string | undefined {
  if (unit === 'leftToday') return value === '0' ? `${dayMs - (clock % dayMs)}ms` : undefined;
  return unit === 'milliseconds' && value ? `${value}ms` : value;
}
