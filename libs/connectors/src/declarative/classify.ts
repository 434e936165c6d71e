import { retryOf } from '@sluice/errors';
import { cleanText, decide, retryAfterMs } from '../signals';
import type { HttpOutcome } from '../http-client';
import type { ProviderFailure } from '../results';
import type { Declaration, ErrorShape, DeclaredWait } from './declaration';
import type { Row, Signal } from './signal-table';
import { textAt, valueAt } from './template';

/** A call that did not end with a 2xx that says what it should. */
interface FailedCall {
  readonly on: Signal['on'];
  readonly outcome: HttpOutcome;
  /** What a whole 2xx lacks, or says. Absent: another status, or none. */
  readonly flaw?: 'unreadable' | 'refused';
  readonly isKeyed: boolean;
  /** Never in a text. */
  readonly token: string;
}

/** Class, wait and text of it. The one reader of the table. */
export function classify(file: Declaration, table: readonly Row[], call: FailedCall): ProviderFailure {
  const { on, outcome } = call;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const said = readError(file.errors, reply?.json);
  const row = decide(table, signalOf(call, said));
  const isFinal = retryOf(row.class) === 'never';
  const waitMs = isFinal ? undefined : (waitOf(reply?.headers ?? {}, Date.now(), file.waits) ?? row.waitMs);
  const providerRequestId = requestIdOf(file, outcome);
  return {
    class: on === 'read' && row.class === 'unknown' ? 'unavailable' : row.class,
    message: cleanText(messageOf(file, call, said), call.token),
    scope: row.isLane ? 'lane' : isFinal ? 'record' : 'call',
    ...(reply && { status: reply.status }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(row.triesMax !== undefined && { triesMax: row.triesMax }),
    ...(providerRequestId !== undefined && { providerRequestId }),
    ...(row.class === 'conflict' && said.existingId !== undefined && { existingId: said.existingId }),
  };
}

/** The provider's own id of a request. */
export function requestIdOf({ requestIdHeader }: Declaration, outcome: HttpOutcome): string | undefined {
  if (outcome.kind !== 'reply' || requestIdHeader === undefined) return undefined;
  const id = outcome.reply.headers[requestIdHeader.toLowerCase()];
  return id === undefined ? undefined : cleanText(id.slice(0, 100));
}

function signalOf({ on, outcome, flaw, isKeyed }: FailedCall, { code, message }: SaidError): Signal {
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const fault = flaw === 'unreadable' ? 'unreadable' : faultOf(outcome);
  return {
    on,
    isKeyed,
    isRefused: flaw === 'refused',
    isJson: reply?.json !== undefined,
    ...(fault && { fault }),
    ...(reply && { status: reply.status }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  };
}

function faultOf(outcome: HttpOutcome): Signal['fault'] {
  if (outcome.kind === 'not-sent') return 'not-sent';
  return outcome.kind === 'no-reply' ? outcome.fault : outcome.reply.fault;
}

function messageOf({ displayName }: Declaration, { outcome, flaw }: FailedCall, { message, code }: SaidError): string {
  if (outcome.kind === 'not-sent') return `${displayName} could not be reached: ${outcome.reason}`;
  if (outcome.kind === 'no-reply') return `${displayName} sent no reply: ${outcome.reason}`;
  const { status, fault } = outcome.reply;
  if (message !== undefined || code !== undefined) {
    return code === undefined || message?.includes(code)
      ? (message ?? '')
      : [message, `(${code})`].filter(Boolean).join(' ');
  }
  if (fault) return `${displayName} answered ${status} with a reply that is ${fault}`;
  const lack = flaw === 'unreadable' ? 'without what such a reply must say' : 'without a message';
  return `${displayName} answered ${status} ${lack}`;
}

/** What a body says of an error. */
interface SaidError {
  readonly message?: string;
  readonly code?: string;
  readonly existingId?: string;
}

/** Most errors of a list that a text names. [own] */
const namedMax = 5;

/** By the first form that fits: one whose place is there and tells a message or a code. */
function readError(shapes: readonly ErrorShape[], body: unknown): SaidError {
  for (const shape of shapes) {
    const said = readShape(shape, body);
    if (said !== undefined) return said;
  }
  return {};
}

function readShape(shape: ErrorShape, body: unknown): SaidError | undefined {
  const found = valueAt(body, shape.at);
  const errors: unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const first = (error: unknown, pointers: readonly string[] = []) =>
    pointers.map((pointer) => textAt(error, pointer)).find((text) => text !== undefined);
  const messages = errors.slice(0, namedMax).flatMap((error) => {
    const message = first(error, shape.message);
    const field = first(error, shape.field);
    if (message === undefined) return [];
    return [field === undefined || message.includes(field) ? message : `${field}: ${message}`];
  });
  const code = errors.map((error) => first(error, shape.code)).find((text) => text !== undefined);
  if (messages.length === 0 && code === undefined) return undefined;
  const existingId = shape.existingId === undefined ? undefined : first(errors[0], [shape.existingId]);
  return {
    ...(messages.length > 0 && { message: messages.join('; ') }),
    ...(code !== undefined && { code }),
    ...(existingId !== undefined && { existingId }),
  };
}

const usual: readonly DeclaredWait[] = [{ header: 'retry-after', unit: 'secondsOrDate' }];

/** The longest wait that we take from a provider: a deadline is at most 48 h (specification, Limits). */
const waitMsMax = 48 * 3_600_000;

/** The first wait that a reply's headers state, in milliseconds; undefined where they state none. */
export function waitOf(
  headers: Readonly<Record<string, string>>,
  now: number,
  waits: readonly DeclaredWait[] = usual,
): number | undefined {
  for (const { header, unit } of waits) {
    const value = headers[header.toLowerCase()]?.trim();
    const wait = value === undefined ? undefined : toMs(value, unit, { headers, now });
    if (wait !== undefined && wait > 0) return Math.min(Math.ceil(wait), waitMsMax);
  }
  return undefined;
}

interface Moment {
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

function toMs(value: string, unit: DeclaredWait['unit'], { headers, now }: Moment): number | undefined {
  // A date is read against the reply's own.
  if (unit === 'secondsOrDate') return retryAfterMs({ ...headers, 'retry-after': value }, now);
  if (!/^\d{1,16}(\.\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  switch (unit) {
    case 'seconds':
      return number * 1_000;
    case 'milliseconds':
      return number;
    default: {
      const sentAt = Date.parse(headers['date'] ?? '');
      return number * (unit === 'epochSeconds' ? 1_000 : 1) - (Number.isNaN(sentAt) ? now : sentAt);
    }
  }
}
