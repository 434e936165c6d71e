import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
