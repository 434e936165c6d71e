import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ownTurn } from '@sluice/telemetry';
import { ValidationError, type Issue } from '@sluice/errors';
import { InboundError } from './problem-handler';
import { isLargeBody } from './served-room';
import { checkEncoding, hasBody, readBody, type BodyLimits } from './read-body';
import { type JsonBounds, countMembers, scanJson, usualBounds } from './scan-json';
import { inspectJson, type JsonFault } from './inspect-json';

/** A parsed body. */
export interface JsonBody {
  readonly value: unknown;
  readonly bytes: number;
}

const json = /^application\/json[ \t]*(?:;(.*))?$/i;
const charset = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s;"]+)/i;

/**
 * Reads one JSON document. Refused before any byte is read: no body, another content type, a compressed body, a
 * Content-Length over the limit. For the rest see readBody and parseJson.
 * @throws InboundError 400, 408, 413, 415; ValidationError 400
 */
export async function readJson(
  req: IncomingMessage,
  limits: BodyLimits & { readonly bounds?: JsonBounds | undefined },
): Promise<JsonBody> {
  if (!hasBody(req)) throw malformed('The body is empty; this endpoint needs a JSON document.');
  checkEncoding(req.headers['content-encoding']);
  checkType(req.headers['content-type']);
  const body = await readBody(req, limits);
  if (isLargeBody(body.length)) await ownTurn();
  const text = body.toString('utf8');
  // A replacement character is the only trace of broken bytes, and seldom there: no second look at most bodies.
  if (text.includes('\uFFFD') && !isUtf8(body)) throw malformed('The body is not encoded as UTF-8.');
  return { value: parseJson(text, limits.bounds), bytes: body.length };
}

function checkType(type: string | undefined): void {
  if (type === 'application/json') return;
  const match = type === undefined ? null : json.exec(type);
  const named = charset.exec(match?.[1] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (match && (named === 'utf-8' || named === 'us-ascii')) return;
  const sent = type === undefined ? 'There is no Content-Type.' : `Content-Type ${type.slice(0, 80)} is not supported.`;
  throw new InboundError({ code: 'request.content-type', detail: sent, headers: { Accept: 'application/json' } });
}

function malformed(detail: string): InboundError {
  return new InboundError({ code: 'request.malformed-json', detail });
}

/**
 * JSON.parse that refuses what it would silently change or what would hurt later: repeated names, names that reach a
 * prototype, names with NUL, more than 1 000 members in an object, more than 32 levels, numbers that a double cannot carry.
 * @param bounds what is refused before it is parsed, because of what parsing and planning it would cost. @default 100 000 values
 * @throws InboundError `request.malformed-json`, with line and column
 * @throws ValidationError `request.invalid` or `write.number-not-exact`, with the path of each fault
 */
export function parseJson(text: string, bounds: JsonBounds = usualBounds): unknown {
  const scan = scanJson(text, bounds);
  if (scan.isTooDeep || scan.isTooLarge || scan.hasInexactNumber) throw refusal(text, bounds);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(text, bounds);
  }
  if (countMembers(value, text.includes('\\u')) !== scan.members) throw refusal(text, bounds);
  return value;
}

function refusal(text: string, bounds: JsonBounds): InboundError | ValidationError {
  const faults = inspectJson(text, bounds);
  const broken = faults.find((fault) => fault.kind === 'syntax');
  if (broken) return notJson(text, broken);
  const onlyNumbers = faults.length > 0 && faults.every((fault) => fault.kind === 'number');
  const code = onlyNumbers ? 'write.number-not-exact' : 'request.invalid';
  const detail = faults.map((fault) => `${fault.path} ${fault.detail}`)[0] ?? 'The body breaks a rule of JSON.';
  return new ValidationError({ code, detail: `${detail}.`, issues: faults.map(toIssue) });
}

function notJson(text: string, fault: JsonFault): InboundError {
  const before = text.slice(0, fault.at).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const detail = `The body ${fault.detail}: line ${before.length}, column ${column} (position ${fault.at}).`;
  return new InboundError({ code: 'request.malformed-json', detail });
}

function toIssue(fault: JsonFault): Issue {
  const value = fault.literal === undefined ? {} : { value: fault.literal };
  return { in: 'body', name: fault.path, detail: fault.detail, ...value };
}
