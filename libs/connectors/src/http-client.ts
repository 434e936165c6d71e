import { Agent } from 'undici';
import { childTraceparent } from '@sluice/telemetry';
import { exchange, type ReplyFault } from './http-exchange';
import { readReplyBody } from './reply-body';

/** Longest wait for TCP and TLS. A host that takes longer is not there. */
const connectTimeoutMs = 5_000;
/** Largest reply that is read. Source: reliability checklist, item 22. A full HubSpot batch reply is below 1 MB. */
const replyBytesMax = 10 * 1024 * 1024;

/** A request to the one origin of a client. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Absolute path, percent-encoded by the caller. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. Absent: no body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly traceparent?: string;
}

/** A reply as far as it arrived. */
export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; absent when it is empty, no JSON or not whole. */
  readonly json?: unknown;
  /** Why the body is not whole or cannot be read. */
  readonly fault?: ReplyFault | 'undecodable';
}

/**
 * `not-sent`: certainly not applied. `no-reply`: sent, at least in part, and may have been applied.
 * `reason` is a code or a sentence of ours, never the provider's text.
 */
export type HttpOutcome = { readonly durationMs: number } & (
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'no-reply'; readonly fault: ReplyFault; readonly reason: string }
);

/** Sends requests to one origin. Follows no redirect, retries nothing, never throws. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Waits for running requests, then ends the connections. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Origin, with a path prefix if there is one: `https://api.hubapi.com`. */
  readonly baseUrl: string;
  /** Bound of a whole exchange, in milliseconds. */
  readonly callTimeoutMs: number;
}

/**
 * An HTTP/1.1 client with connections of its own. HTTP/2 is off: one broken connection would leave every write that
 * shares it in doubt. Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  // The exchange's own clock bounds headers and body together, so that a slow trickle cannot stretch the call.
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs, minVersion: 'TLSv1.2', rejectUnauthorized: true },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    pipelining: 1,
  });
  const limits = { timeoutMs: options.callTimeoutMs, bytesMax: replyBytesMax };
  return {
    async send(request) {
      const { method, path, signal } = request;
      const dispatched = {
        origin: base.origin,
        method,
        path: prefix + path,
        headers: headersOf(request),
        body: request.body === undefined ? null : JSON.stringify(request.body),
      };
      const result = await exchange(agent, dispatched, signal ? { ...limits, signal } : limits);
      if (result.kind !== 'reply') return result;
      const { status, headers, bytes, durationMs } = result;
      const body = result.fault
        ? { fault: result.fault }
        : await readReplyBody(bytes, headers['content-encoding'], replyBytesMax);
      return { kind: 'reply', durationMs, reply: { status, headers, ...body } };
    },
    close: () => agent.close(),
  };
}

function headersOf(request: HttpRequest): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'sluice',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    traceparent: childTraceparent(request.traceparent),
    ...request.headers,
  };
}
