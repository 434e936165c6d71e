import { SluiceApiError, SluiceConnectionError, SluiceRecordError } from '@sluice/client';
import { reasonOf } from '@sluice/types';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CommandFailure } from '../failure';
import { jsonOf, plain } from '../output/print';
import { TokenFailure } from '../profiles/bearer-token';

/** Bytes of a reply. Our choice: about 16,000 tokens, which leaves an agent room to work. */
export const replyBytesMax = 64_000;

/** Bytes of a reply that are left for what is not in its list. */
const headBytes = 8_000;

/** A reply as one JSON document; a longer one than `replyBytesMax` is cut, and says so. */
export function reply(document: unknown): CallToolResult {
  return textReply(jsonOf(document));
}

export function textReply(text: string): CallToolResult {
  return { content: [{ type: 'text', text: cut(text) }] };
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= replyBytesMax) return text;
  // A character that the cut divides goes.
  const kept = Buffer.from(text)
    .subarray(0, replyBytesMax - 100)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${kept}\n[cut: a reply holds at most ${replyBytesMax} bytes]`;
}

/** As many items, from the first on, as a reply has room for. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  let bytes = headBytes;
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(jsonOf(item)) + 1) > replyBytesMax);
  return end === -1 ? items : items.slice(0, end);
}

/**
 * What a tool answers when the service, the provider or we refuse: an error that the agent reads, and can act on.
 * @param more what the error tells besides; first, where no cut takes it
 */
export async function answering(act: () => Promise<CallToolResult>, more: object = {}): Promise<CallToolResult> {
  try {
    return await act();
  } catch (error) {
    // Where the file is, is for who runs the server.
    if (error instanceof TokenFailure) process.stderr.write(`sluice mcp: ${plain(error.message)}\n`);
    return { ...reply({ error: { ...more, ...describeError(error) } }), isError: true };
  }
}

/** Absent members are left out of the JSON. Values come last, because a large one is what a cut takes. */
function describeError(error: unknown): object {
  if (error instanceof SluiceRecordError) return ofRecord(error);
  if (error instanceof SluiceApiError) return ofApi(error);
  if (error instanceof SluiceConnectionError) {
    const remedy =
      'It is not known whether the request arrived. The same call may be made again, a write with its idempotencyKey.';
    return { code: 'unreachable', detail: error.message, remedy };
  }
  if (error instanceof TokenFailure) {
    const remedy = 'Ask who runs this server to renew the token.';
    return { code: 'token.unreadable', detail: 'The bearer token cannot be read.', remedy };
  }
  if (error instanceof CommandFailure) return { code: 'argument.refused', detail: error.message };
  return { code: 'failed', detail: error instanceof Error ? error.message : String(error) };
}

function ofApi({ status, code, detail, issues, remedy, ...more }: SluiceApiError): object {
  const { retryable, retryAfter, operationId, requestId } = more;
  return {
    code: code ?? `status-${status}`,
    detail,
    remedy,
    retryable,
    retryAfter: retryAfter?.toISOString(),
    operationId,
    requestId,
    issues:
      issues.length > 0 ? issues.map(({ name, detail: rule, value }) => ({ field: name, rule, value })) : undefined,
  };
}

/** The provider refused the record: it names the fields, as far as it can. */
function ofRecord({ detail, problems, operationId, requestId }: SluiceRecordError): object {
  return {
    code: 'provider.rejected',
    detail: reasonOf({ message: detail }, problems),
    remedy: 'Change the record as the provider asks. explain_operation shows more.',
    retryable: false,
    operationId,
    requestId,
    problems,
  };
}
