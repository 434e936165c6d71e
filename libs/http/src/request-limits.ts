import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { RateLimitedError } from '@sluice/errors';
import type { Caller } from '@sluice/types';
import { oneAfterAnother } from './router';
import { callerOf } from './authenticator';

/** Counts requests in windows that all processes share. The quota buckets of @sluice/redis are one. */
export interface RequestCounter {
  /** Never throws. */
  take(
    bucket: string,
    request: { readonly limit: number; readonly windowMs: number; readonly priority: 'synchronous' },
  ): Promise<{ readonly granted: boolean; readonly retryAfterMs: number }>;
}

interface RequestLimitOptions {
  readonly counter: RequestCounter;
  /** Requests of one API key in any second, over all services and processes. 0: no limit. */
  readonly requestsPerSecondKey: number;
  /** The same of one group: of its bearer tokens, and of API keys where the request names the group. 0: no limit. */
  readonly requestsPerSecondGroup: number;
}

/** Keeps one caller's requests from taking the place of the others'. Asks nobody while both limits are 0. */
export interface RequestLimits {
  /**
   * The authenticator, and behind it the limit of an API key, or of a bearer token's group: before anything of the request is read.
   * Bearer tokens of one signing key are not counted together: they belong to many customers. Nor is the bootstrap key.
   * @throws RateLimitedError `request.rate-limited`
   */
  after(authenticate: RequestHandler): RequestHandler;
  /**
   * The limit of the group that an API key's request is for, once that is known. A bearer token was counted before.
   * @throws RateLimitedError `request.rate-limited`
   */
  assertGroup(caller: Caller, groupRef: string): Promise<void>;
}

const windowMs = 1_000;

export function requestLimits(o: RequestLimitOptions): RequestLimits {
  const ofKey = {
    limit: o.requestsPerSecondKey,
    whose: 'The API key',
    setting: 'SLUICE_REQUESTS_PER_SECOND_KEY',
  };
  const ofGroup = { limit: o.requestsPerSecondGroup, whose: 'The group', setting: 'SLUICE_REQUESTS_PER_SECOND_GROUP' };
  const assertRoom = async (bucket: string, { limit, whose, setting }: typeof ofKey): Promise<void> => {
    if (limit === 0) return;
    const answer = await o.counter.take(`requests:${bucket}`, { limit, windowMs, priority: 'synchronous' });
    if (answer.granted) return;
    throw new RateLimitedError({
      code: 'request.rate-limited',
      detail: `${whose} may send ${limit} requests a second (${setting}), and has sent them. Nothing was done.`,
      retryAfterMs: answer.retryAfterMs,
    });
  };
  const assertGroup = (projectId: string, groupRef: string) => assertRoom(groupBucket(projectId, groupRef), ofGroup);
  const assertCaller = async ({ kind, keyId, projectId, groupRef }: Caller): Promise<void> => {
    if (kind === 'api-key') await assertRoom(`key:${keyId}`, ofKey);
    else if (projectId !== undefined && groupRef !== undefined) await assertGroup(projectId, groupRef);
  };
  const limited: RequestHandler = async (_req, res, next) => {
    await assertCaller(callerOf(res));
    next();
  };
  return {
    after: (authenticate) =>
      ofKey.limit === 0 && ofGroup.limit === 0 ? authenticate : oneAfterAnother([authenticate, limited]),
    assertGroup: async ({ kind, projectId }, groupRef) => {
      if (kind === 'api-key' && projectId !== undefined) await assertGroup(projectId, groupRef);
    },
  };
}

/** Hashed: a customer's name has no place in Redis, and may be of any length. */
function groupBucket(projectId: string, groupRef: string): string {
  return `group:${projectId}:${hash('sha256', groupRef, 'base64url')}`;
}

/** The requests a server is working on, and the connections they may come on. */
export class InFlight {
  private readonly sockets = new Set<Socket>();
  private readonly replies = new Set<ServerResponse>();
  private takesMore = true;
  private whenLastEnds: (() => void) | undefined;
  /** When a reply ended last, by `performance.now()`; 0 when none did. */
  endedAtMs = 0;

  get size(): number {
    return this.replies.size;
  }

  connected(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** @returns whether the request is taken; one that is not gets no reply and leaves no effect, since its connection is ending */
  take(res: ServerResponse): boolean {
    if (!this.takesMore) return false;
    this.replies.add(res);
    res.on('close', () => {
      this.replies.delete(res);
      this.endedAtMs = performance.now();
      if (!this.takesMore) this.endUnlessBusy(res.req.socket);
      if (this.replies.size === 0) this.whenLastEnds?.();
    });
    return true;
  }

  /** From now on no request is taken: connections that carry none end, the others end with their last reply. */
  takeNoMore(): void {
    this.takesMore = false;
    for (const socket of this.sockets) this.endUnlessBusy(socket);
  }

  private endUnlessBusy(socket: Socket): void {
    for (const res of this.replies) if (res.req.socket === socket) return;
    socket.destroySoon();
  }

  /** Makes each reply that has not begun the last one of its connection. */
  endConnections(): void {
    for (const res of this.replies) if (!res.headersSent) res.setHeader('Connection', 'close');
  }

  /** Whether bytes of a reply are already on this connection. */
  hasBegunOn(socket: Socket): boolean {
    for (const res of this.replies) if (res.socket === socket && res.headersSent) return true;
    return false;
  }

  /** Resolves as soon as nothing is in flight. For one waiter. */
  ended(): Promise<void> {
    if (this.replies.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.whenLastEnds = resolve));
  }
}
