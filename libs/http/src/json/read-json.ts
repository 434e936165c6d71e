import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ownTurn } from '@sluice/telemetry';
import { InboundError } from '../problem-handler';
import { isLargeBody } from '../served-room';
import { checkEncoding, hasBody, readBody, type BodyLimits } from './read-body';
import { parseJson } from './parse-json';
import type { JsonBounds } from './scan-json';

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
