import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How far the bytes of a connection had gone when that last changed. */
const progress = new WeakMap<Socket, { readonly sent: string; readonly atMs: number }>();
/** Has how much of the write under way the system has not taken. Node has no public name for it, and asks the same before it ends an idle socket. */
const handle = '_handle';

/**
 * For how long a connection has had bytes to send and has sent none, in milliseconds; 0 for one that has nothing to send. Seen by those who ask again:
 * the first question begins the time.
 */
export function stalledMs(socket: Socket): number {
  const nowMs = performance.now();
  // A large piece is sent only when all of it is, which a slow line needs minutes for.
  const { writeQueueSize = 0 } = (socket as { [handle]?: { writeQueueSize?: number } | null })[handle] ?? {};
  const sent = `${socket.bytesWritten - socket.writableLength} ${writeQueueSize}`;
  const last = progress.get(socket);
  if (socket.writableLength > 0 && last?.sent === sent) return nowMs - last.atMs;
  progress.set(socket, { sent, atMs: nowMs });
  return 0;
}

/** A client that reads nothing for so long has no claim to memory that another caller waits for. */
const giveWayAfterMs = 2_000;

/** Whether nobody reads a reply that has begun. */
export function isUnread(res: ServerResponse): boolean {
  return res.headersSent && res.socket !== null && stalledMs(res.socket) >= giveWayAfterMs;
}
