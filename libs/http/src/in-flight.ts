import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests a server is working on. */
export class InFlight {
  private readonly replies = new Set<ServerResponse>();
  private whenLastEnds: (() => void) | undefined;
  /** When a reply ended last, by `performance.now()`; 0 when none did. */
  endedAtMs = 0;

  get size(): number {
    return this.replies.size;
  }

  add(res: ServerResponse): void {
    this.replies.add(res);
    res.on('close', () => {
      this.replies.delete(res);
      this.endedAtMs = performance.now();
      if (this.replies.size === 0) this.whenLastEnds?.();
    });
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
