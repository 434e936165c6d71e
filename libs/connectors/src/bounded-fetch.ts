import { type Egress, egressRefused, guardedAgent } from './egress/guarded-connect';
import { exchange } from './http-client';
import { plainBytes, readReplyBody, type ReplyRoom } from './reply-body';

interface BoundedFetchOptions {
  readonly egress: Egress;
  /** Bound of a whole exchange, connecting included, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest reply that is read, in bytes, also after decompression. */
  readonly bytesMax: number;
  /** Whose share of the capacity for replies is used. */
  readonly owner: string;
  readonly replyRoom: ReplyRoom;
}

/** What a request may have of those of `fetch`. */
interface BoundedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What has a text, as URLSearchParams; absent: no body. */
  readonly body?: { toString(): string } | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `fetch` for a library that sends its own requests. The bounds of provider calls apply: address policy, time, bytes, encodings and the cost of
 * parsing JSON. Follows no redirect. A connection is for one request.
 * @returns rejects with a TypeError when there is no whole reply, as `fetch` does; its message says why
 */
export function createBoundedFetch({ egress, timeoutMs, bytesMax, owner, replyRoom: room }: BoundedFetchOptions) {
  const agent = guardedAgent(egress);
  return async (address: string, { method, headers, body, signal }: BoundedRequest): Promise<Response> => {
    const { origin, pathname, search } = new URL(address);
    const untilMs = performance.now() + timeoutMs;
    const sent = {
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body === undefined || body === null ? null : body.toString(),
      reset: true,
    };
    const limits = { timeoutMs, bytesMax, room, owners: [owner] as const, ...(signal && { signal }) };
    const result = await exchange(agent, sent, limits);
    if (result.kind !== 'reply') throw new TypeError(`${origin} sent no reply: ${reasonOf(result.reason)}`);
    const { status, bytes, held, fault } = result;
    const { 'content-encoding': encoding, 'content-length': _, ...rest } = result.headers;
    const refused = (why: string, reason = `at most ${bytesMax} bytes within ${timeoutMs} ms are read`) =>
      new TypeError(`the reply ${status} of ${origin} is ${why}: ${reason}`);
    try {
      if (fault) throw refused(fault);
      const arrived = { bytes, encoding, bytesMax, untilMs, held };
      const plain = await plainBytes(arrived, room);
      if (!Buffer.isBuffer(plain)) throw refused(plain.fault, plain.reason);
      // Parsed here for its bounds; the library parses it again.
      const read = await readReplyBody({ ...arrived, bytes: plain, encoding: undefined }, room);
      if (read.fault) throw refused(read.fault, read.reason);
      return new Response(plain.length === 0 ? null : new Uint8Array(plain), { status, headers: rest });
    } finally {
      held.end();
    }
  };
}

function reasonOf(reason: string): string {
  if (reason !== egressRefused) return reason;
  return `${reason}, its address is private or not reached over TLS; SLUICE_EGRESS_ALLOW names the networks that are allowed`;
}
