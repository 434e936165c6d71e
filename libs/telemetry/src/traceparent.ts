import { randomBytes } from 'node:crypto';

/** Version, trace id, parent id, flags; a later version may add more. Source: W3C Trace Context, section 3.2. */
const form =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const zeros = /^0+$/;

/** A place in a trace: what a `traceparent` names. Ids are lower-case hex, 32 and 16 characters. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether who wrote it keeps the trace also when all goes well. */
  readonly isSampled: boolean;
}

/** What a `traceparent` says; undefined when it is absent or invalid. */
export function readTraceparent(value: string | undefined): TraceContext | undefined {
  const fields = value === undefined ? undefined : form.exec(value.trim())?.groups;
  if (!fields || !isValid(fields)) return undefined;
  const { traceId = '', spanId = '', flags = '' } = fields;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` of a place. */
export function toTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** A `traceparent` header value that starts a new trace, which nobody records so far. */
export function newTraceparent(): string {
  return `00-${newId(16)}-${newId(8)}-00`;
}

/**
 * A `traceparent` for work done inside `parent`: same trace, a span id of its own.
 * An absent or invalid parent starts a new trace, as the W3C recommendation asks.
 * @param isSampled whether somebody keeps it. @default as the parent says
 */
export function childTraceparent(parent: string | undefined, isSampled?: boolean): string {
  const context = readTraceparent(parent);
  if (context === undefined) return newTraceparent();
  return toTraceparent({ ...context, isSampled: isSampled ?? context.isSampled, spanId: newId(8) });
}

function isValid(fields: Record<string, string>): boolean {
  const { version = '', traceId = '', spanId = '', more } = fields;
  return version !== 'ff' && !(version === '00' && more !== undefined) && !zeros.test(traceId) && !zeros.test(spanId);
}

/** Drawn ahead: asking the system for 8 bytes costs as much as asking for 4 KB. */
let drawn = Buffer.alloc(0);
let used = 0;

/** A random id in hex: 16 bytes for a trace, 8 for a span. Never all zeros. */
export function newId(bytes: 8 | 16): string {
  if (used + bytes > drawn.length) {
    drawn = randomBytes(4_096);
    used = 0;
  }
  const hex = drawn.toString('hex', used, (used += bytes));
  return zeros.test(hex) ? newId(bytes) : hex;
}
