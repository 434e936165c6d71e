import { InboundError } from '../inbound-error';

/**
 * A small compressed body can become a huge one; nobody gains from compressing 1 KB. RFC 9110, 12.5.3 for the reply.
 * @throws InboundError 415 for any encoding but `identity`
 */
export function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new InboundError({
    code: 'request.content-type',
    detail: `Content-Encoding ${encoding.slice(0, 40)} is not supported.`,
    remedy: 'Send the body without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  });
}
