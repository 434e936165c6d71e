import type { IncomingMessage } from 'node:http';
import { InboundError } from '../inbound-error';
import { checkEncoding } from './check-encoding';
import { hasBody, readBody, type BodyLimits } from './read-body';

/** A body that is no JSON: what it may be called, and how large it may be. */
export interface BytesBody {
  /** Media types, in lower case; the first is the one that a refusal recommends. */
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  /** What the sender of a larger one can do. */
  readonly tooLargeRemedy: string;
}

/**
 * Reads a body as it is. Refused before any byte is read: no body, another content type, a compressed body, a Content-Length
 * over the limit. A body without Content-Type is taken: RFC 9110, 8.3 leaves it to who receives it, and the body is looked into next.
 * @throws InboundError 400, 408, 413, 415
 */
export async function readBytes(req: IncomingMessage, body: BytesBody, growth?: BodyLimits['growth']): Promise<Buffer> {
  const { contentTypes, bytesMax, tooLargeRemedy } = body;
  if (!hasBody(req))
    throw new InboundError({ code: 'request.invalid', detail: 'The body is empty.', remedy: sendOne(body) });
  checkEncoding(req.headers['content-encoding']);
  const type = req.headers['content-type'];
  if (type !== undefined && !contentTypes.includes(mediaType(type))) {
    throw new InboundError({
      code: 'request.content-type',
      detail: `Content-Type ${type.slice(0, 80)} is not supported.`,
      remedy: sendOne(body),
      headers: { Accept: contentTypes.join(', ') },
    });
  }
  return await readBody(req, { bytesMax, remedy: tooLargeRemedy, growth });
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

function sendOne({ contentTypes }: BytesBody): string {
  return `Send a body with Content-Type: ${contentTypes[0]}.`;
}
