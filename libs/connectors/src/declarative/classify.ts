import { retryOf } from '@sluice/errors';
import { callFailure, cleanText, failureClassOf, failureText, retryAfterMs, waitMsMax } from '../failures';
import type { HttpOutcome } from '../http-client';
import type { ProviderFailure } from '../results';
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
  /** Never in a text. */
  readonly token: string;
}

/** Class, wait and text of it. */
export function classify(file: Declaration, table: readonly FailureRow[], call: FailedCall): ProviderFailure {
  const { on, outcome, flaw, isKeyed } = call;
  const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
  const { code, message, existingId } = readError(file.errors, reply?.json);
  const wire = flaw === 'unreadable' ? { status: reply?.status, fault: flaw } : wireSignal(outcome);
  const is = propertiesOf({ keyed: isKeyed, failed: flaw === 'failed', json: reply?.json !== undefined });
  const row = decide(table, { on, ...wire, code, text: message, is });
  const isFinal = retryOf(failureClassOf(row)) === 'never';
  const reason =
    code === undefined || message?.includes(code) ? message : [message, `(${code})`].filter(Boolean).join(' ');
  const lack = flaw === 'unreadable' ? 'without what such a reply must say' : 'without a message';
  return callFailure(row, {
    outcome,
    on,
    isBatch: false,
    message: cleanText(failureText(file.displayName, outcome, reason, lack), call.token),
    waitMs: isFinal ? undefined : (waitOf(reply?.headers ?? {}, Date.now(), file.waits) ?? row.waitMs),
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
  readonly code?: string;
  readonly existingId?: string;
}

/** Most errors of a list that a text names. [own] */
const namedMax = 5;

/** By the first form that fits: one whose position is there and holds a message or a code. */
function readError(shapes: readonly ErrorShape[], body: unknown): BodyError {
  for (const shape of shapes) {
    const reason = readShape(shape, body);
    if (reason !== undefined) return reason;
  }
  return {};
}

function readShape(shape: ErrorShape, body: unknown): BodyError | undefined {
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
