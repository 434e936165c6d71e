import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { HeldBytes, type Owners } from '@sluice/telemetry';
import type { ForwardedHeader } from '@sluice/types';
import type { Dispatcher } from 'undici';
import { addressPolicy } from './egress/address-policy';
import { type Egress, guardedAgent } from './egress/guarded-connect';
import { createReplyRoom, isEncoded, readReplyBody, replyBytesMax, type ReplyRoom } from './reply-body';

/** A request to the client's own origin, or to the one it names. At most one of `body` and `form`; neither: no body. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /**
   * Origin, with a path prefix if there is one, in place of the client's: `https://acme.my.salesforce.com`. For
   * providers with a host per customer; the connector says which hosts these can be. One that is no http(s) URL is
   * `not-sent`. @default the client's `baseUrl`
   */
  readonly origin?: string | undefined;
  /** Absolute path, percent-encoded by the caller. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The builder's own headers. Ours of the same name stay. */
  readonly forwarded?: readonly ForwardedHeader[] | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as `application/x-www-form-urlencoded`: what token endpoints take. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Largest reply that is read, in bytes, also after decompression; a larger one is `too-large`. @default 10 MiB */
  readonly bytesMax?: number;
  /** See ProviderCall. */
  readonly held?: HeldBytes | undefined;
  /** Stays here: see ProviderCall. */
  readonly traceparent?: string | undefined;
}

/** A reply as far as it arrived. */
export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, which may be an object, a list or any other JSON value; absent when it is empty (204), no JSON or not whole. */
  readonly json?: unknown;
  /** The start of a body that is no JSON. */
  readonly text?: string;
  /** Why the body is not whole or cannot be read. */
  readonly fault?: ReplyFault | 'undecodable';
  /** Why so, in words of ours; where the fault alone does not say it. */
  readonly reason?: string;
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

/** Sends requests, by default to one origin. Follows no redirect, sends nothing twice, never throws. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpOutcome>;
  /** Waits for running requests, then ends the connections. */
  close(): Promise<void>;
}

interface HttpClientOptions {
  /** Where requests go that name no origin; with a path prefix if there is one: `https://api.hubapi.com`. */
  readonly baseUrl: string;
  /** Bound of a whole exchange, in milliseconds. */
  readonly callTimeoutMs: number;
  /** Where connections may go besides `baseUrl`'s own origin. @default public addresses, over TLS */
  readonly egress?: Partial<Egress>;
  /** Whether a connection that cannot be made is tried again for some seconds, before anything is sent. @default false */
  readonly reconnects?: boolean;
  /** Shared by the clients of a process. @default one of its own */
  readonly replyRoom?: ReplyRoom;
}

/**
 * An HTTP/1.1 client with connections of its own. One client serves any number of origins. undici keeps connections per origin and drops an origin
 * with its last connection, seconds after its last use. So memory is bounded by the customers in use, not by all customers.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const own = toBase(options.baseUrl);
  const egress = { policy: addressPolicy([]), ...options.egress };
  const trustedOrigins = [...(own ? [own.origin] : []), ...(egress.trustedOrigins ?? [])];
  const agent = guardedAgent({ ...egress, trustedOrigins });
  const room = options.replyRoom ?? createReplyRoom();
  const limits = { timeoutMs: options.callTimeoutMs, room };
  return {
    async send(request) {
      const { method, path, signal, held: ofCall, bytesMax = replyBytesMax } = request;
      const base = request.origin === undefined ? own : toBase(request.origin);
      if (!base) return { kind: 'not-sent', reason: 'the origin is no http or https URL', durationMs: 0 };
      const dispatched = {
        origin: base.origin,
        method,
        path: base.prefix + path,
        headers: headersOf(request),
        body: bodyOf(request),
      };
      const sendOnce = async (within: ExchangeLimits) => {
        if (method !== 'GET') await noticeClosed();
        return await exchange(agent, dispatched, within);
      };
      const startedAtMs = performance.now();
      // The previous reply has been read.
      ofCall?.replace();
      const bounds = { ...limits, bytesMax, owners: ofCall?.owners, ...(signal && { signal }) };
      const result = await (options.reconnects ? untilConnected(sendOnce, bounds) : sendOnce(bounds));
      if (result.kind !== 'reply') return result;
      const { status, headers, bytes, durationMs, fault, held } = result;
      if (fault) return { kind: 'reply', durationMs, reply: { status, headers, fault } };
      const untilMs = startedAtMs + limits.timeoutMs;
      const arrived = { bytes, encoding: headers['content-encoding'], bytesMax, untilMs, held };
      const body = await readReplyBody(arrived, room);
      if (ofCall) ofCall.replace(held);
      else held.end();
      return { kind: 'reply', durationMs, reply: { status, headers, ...body } };
    },
    close: () => agent.close(),
  };
}

/**
 * Lets the event loop poll its sockets once. A connection that the provider closed while this process was busy is then seen as closed. Otherwise a
 * write sent into it would end as "may have been applied".
 */
async function noticeClosed(): Promise<void> {
  await setImmediate();
  // The first turn may end a poll that was already under way.
  await setImmediate();
}

function toBase(url: string): { origin: string; prefix: string } | undefined {
  const base = URL.parse(url);
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') return undefined;
  return { origin: base.origin, prefix: base.pathname.replace(/\/+$/, '') };
}

function bodyOf({ body, form }: HttpRequest): string | null {
  if (form) return new URLSearchParams(form).toString();
  return body === undefined ? null : JSON.stringify(body);
}

function headersOf(request: HttpRequest): Record<string, string> {
  const { body, form, forwarded = [] } = request;
  const contentType = form ? 'application/x-www-form-urlencoded' : body === undefined ? undefined : 'application/json';
  return {
    ...Object.fromEntries(forwarded.map(({ key, value }) => [key.toLowerCase(), value])),
    accept: 'application/json',
    // What is compressed costs a decoder, and capacity for what it may grow to.
    'accept-encoding': 'identity',
    'user-agent': 'sluice',
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...request.headers,
  };
}

/** Before each further try, in milliseconds: three seconds together, in which a process that is replaced is back, or its address forgotten. */
const pausesMs = [50, 100, 200, 400, 800, 1_600];
/** No try begins later than this, in milliseconds: a name or a connection that hangs takes five seconds of it, and gets a second try. */
const beginsWithinMs = 6_000;

/**
 * Reasons for which a connection could not be made and which pass by themselves: no listener, no route, a lost DNS query. An unknown name, failing
 * TLS and a refused address do not pass.
 */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Begins an exchange again while its connection cannot be made, for some seconds and within its own time limit. Only what is certainly not sent is
 * begun again, so nothing is ever sent twice.
 * @param begin one try, with what is left of the limits
 */
async function untilConnected(
  begin: (limits: ExchangeLimits) => Promise<Exchange>,
  limits: ExchangeLimits,
): Promise<Exchange> {
  const begunAtMs = performance.now();
  const untilMs = Math.min(beginsWithinMs, limits.timeoutMs);
  let left = limits;
  for (let tries = 0; ; tries += 1) {
    const result = await begin(left);
    const durationMs = performance.now() - begunAtMs;
    const pauseMs = pausesMs[tries];
    const isOver = pauseMs === undefined || durationMs + pauseMs >= untilMs;
    if (isOver || result.kind !== 'not-sent' || !passing.has(result.reason)) return { ...result, durationMs };
    // A cancelled pause is over; the next try then says that the call was cancelled.
    await sleep(pauseMs, undefined, limits.signal && { signal: limits.signal }).catch(() => undefined);
    // Whole milliseconds: the failure names them when no reply comes.
    left = { ...limits, timeoutMs: Math.max(1, Math.round(limits.timeoutMs - (performance.now() - begunAtMs))) };
  }
}

/** One exchange with a provider, with its credentials and everything of the account: for a log that writes no value of it. */
export interface TappedExchange {
  readonly request: HttpRequest;
  readonly outcome: HttpOutcome;
}

/** The same client, which shows each exchange once it is over. */
export function tapped(client: HttpClient, tap: (exchange: TappedExchange) => void): HttpClient {
  return {
    async send(request) {
      const outcome = await client.send(request);
      tap({ request, outcome });
      return outcome;
    },
    close: () => client.close(),
  };
}

/** Why a request that may have left has no whole reply. */
export type ReplyFault = 'timeout' | 'broken' | 'aborted' | 'too-large';

/** What went over the wire. `not-sent` is a promise: no byte of the request left this process. */
export type Exchange = { readonly durationMs: number } & (
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'no-reply'; readonly fault: ReplyFault; readonly reason: string }
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Buffer;
      /** Set when the body ended early: `bytes` is what came, at most `bytesMax`. */
      readonly fault?: ReplyFault;
      /** The capacity that it holds; the receiver of the reply releases it. */
      readonly held: HeldBytes;
    }
);

export interface ExchangeLimits {
  /** From the start of the call to the last byte of the reply, connecting included. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
  /** Where the bytes of large replies are counted; a reply waits there for its turn, within `timeoutMs`. Absent: they are not. */
  readonly room?: ReplyRoom;
  /** In whose shares of the capacity the reply counts. @default the host's, for what no caller waits for, as a token that is refreshed */
  readonly owners?: Owners | undefined;
  readonly signal?: AbortSignal;
}

/** What `Exchange` is without its duration: a union loses its members under a plain Omit. */
type Outcome = Exchange extends infer Member ? (Member extends Exchange ? Omit<Member, 'durationMs'> : never) : never;

/**
 * One request and its reply. Invariant: `onRequestStart` is undici's last callback before it writes to a socket. So an exchange that ends before it
 * was certainly not sent, whatever the error says. An exchange that ends later may have been applied. undici starts a request at most once with our
 * settings. A second start is refused, because it would be a resend.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<Exchange> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const owners: Owners = limits.owners ?? [`host:${String(request.origin)}`];
    const run = new Run({ ...limits, owners }, (outcome) =>
      resolve({ ...outcome, durationMs: performance.now() - startedAt }),
    );
    if (!run.isEnded) dispatcher.dispatch(request, run);
  });
}

class Run implements Dispatcher.DispatchHandler {
  isEnded = false;
  private controller: Dispatcher.DispatchController | undefined;
  private head: { status: number; headers: Record<string, string> } | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** How large the reply may become before it needs more capacity. */
  private roomBytes: number;
  private readonly held: HeldBytes;
  private readonly timer: NodeJS.Timeout;
  private readonly untilMs: number;

  constructor(
    private readonly limits: ExchangeLimits & { readonly owners: Owners },
    private readonly settle: (outcome: Outcome) => void,
  ) {
    this.held = new HeldBytes(...limits.owners);
    this.roomBytes = limits.room?.freeBytes ?? Infinity;
    this.untilMs = performance.now() + limits.timeoutMs;
    this.timer = setTimeout(() => this.stop('timeout', `no reply within ${limits.timeoutMs} ms`), limits.timeoutMs);
    limits.signal?.addEventListener('abort', this.onAbort);
    if (limits.signal?.aborted) this.onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isEnded || this.controller) controller.abort(new Error('not sent again'));
    else this.controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.head = { status, headers: joinHeaders(headers) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { bytesMax } = this.limits;
    this.chunks.push(chunk.subarray(0, bytesMax - this.length));
    this.length += chunk.length;
    if (this.length > bytesMax) this.stopTooLarge();
    else if (this.length > this.roomBytes && !controller.paused) void this.waitForRoom(controller);
  }

  /** Reads no further until there is capacity; the provider's connection waits meanwhile. */
  private async waitForRoom(controller: Dispatcher.DispatchController): Promise<void> {
    controller.pause();
    const { 'content-length': announced, 'content-encoding': encoding } = this.head?.headers ?? {};
    const { bytesMax, room } = this.limits;
    if (Number(announced) > bytesMax) return this.stopTooLarge();
    // A compressed one takes at once what it may grow to, since it cannot wait for more of it while it holds some.
    const bytes = isEncoded(encoding) ? bytesMax : announced === undefined ? undefined : Number(announced);
    const roomBytes = await room?.take(this.length, bytes, this.untilMs, this.held);
    if (roomBytes === undefined) return this.stop('timeout', 'there was no capacity for the reply in time');
    this.roomBytes = roomBytes;
    controller.resume();
  }

  onResponseEnd(): void {
    this.end(undefined, '');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end('broken', 'code' in error && typeof error.code === 'string' ? error.code : error.name);
  }

  private readonly onAbort = (): void => this.stop('aborted', 'the call was cancelled');

  private stopTooLarge(): void {
    this.stop('too-large', `the reply is larger than ${this.limits.bytesMax} bytes`);
  }

  private stop(fault: ReplyFault, reason: string): void {
    this.end(fault, reason);
    this.controller?.abort(new Error(reason));
  }

  private end(fault: ReplyFault | undefined, reason: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.timer);
    this.limits.signal?.removeEventListener('abort', this.onAbort);
    // A reply that still waits for capacity stops waiting.
    if (!this.controller || !this.head || fault) this.held.end();
    if (!this.controller) this.settle({ kind: 'not-sent', reason });
    else if (!this.head) this.settle({ kind: 'no-reply', fault: fault ?? 'broken', reason });
    else {
      const bytes = Buffer.concat(this.chunks);
      this.settle({ kind: 'reply', ...this.head, bytes, held: this.held, ...(fault && { fault }) });
    }
  }
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}

/** An object of a provider's reply. Nothing in it is trusted: every member may be missing or of another type. */
export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is not empty; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The objects of a list; none where it is no list. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
