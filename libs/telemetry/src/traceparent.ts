import { randomBytes } from 'node:crypto';

/** Version, trace id, parent id, flags; a later version may add more. Source: W3C Trace Context, section 3.2. */
const form =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const zeros = /^0+$/;

/** A `traceparent` header value that starts a new, sampled trace. */
export function newTraceparent(): string {
  return `00-${id(16)}-${id(8)}-01`;
}

/**
 * A `traceparent` for work done inside `parent`: same trace and flags, a span id of its own.
 * An absent or invalid parent starts a new trace, as the W3C recommendation asks.
 */
export function childTraceparent(parent: string | undefined): string {
  const fields = parent === undefined ? undefined : form.exec(parent.trim())?.groups;
  if (!fields || !isValid(fields)) return newTraceparent();
  return `00-${fields['traceId']}-${id(8)}-${fields['flags']}`;
}

function isValid(fields: Record<string, string>): boolean {
  const { version = '', traceId = '', spanId = '', more } = fields;
  return version !== 'ff' && !(version === '00' && more !== undefined) && !zeros.test(traceId) && !zeros.test(spanId);
}

/** Drawn ahead: asking the system for 8 bytes costs as much as asking for 4 KB. */
let drawn = Buffer.alloc(0);
let used = 0;

function id(bytes: number): string {
  if (used + bytes > drawn.length) {
    drawn = randomBytes(4_096);
    used = 0;
  }
  const hex = drawn.toString('hex', used, (used += bytes));
  return zeros.test(hex) ? id(bytes) : hex;
}
