import { performance } from 'node:perf_hooks';
import { HeldBytes, type Owners } from '@sluice/telemetry';
import type { Dispatcher } from 'undici';
import { isEncoded, type ReplyRoom } from './reply-body';

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
