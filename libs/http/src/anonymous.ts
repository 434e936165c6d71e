import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { heapShare } from '@sluice/telemetry';
import { localsOf } from './request-state';
import { stalledMs } from './unread';

/** One connection may take so much of the heap for its socket, its requests and up to 64 kB that are not sent: 1,000 with 160 MB. */
const connectionBytes = 163_840;
/** Of the heap, for what anonymous connections together have to send. */
const unreadShare = 8;
/** Requests that one connection may send before the reply to the first is read. Browsers send one. */
const repliesMax = 32;
/** Connections of health probes, which are kept: of each orchestrator and balancer one. */
const probingMax = 16;
const probes = /^\/(?:healthz|readyz)(?:\?|$)/;

/**
 * The connections on which no caller has shown credentials yet. Beyond their number, or beyond what they may have to send together, the one
 * that has sent no request for the longest is cut: so a new one, a health probe's too, is always served. Some that carried a probe last are
 * never cut.
 */
export class AnonymousConnections {
  private readonly repliesOf = new Map<Socket, Set<ServerResponse>>();

  private readonly probing = new Set<Socket>();

  constructor(private readonly max = Math.ceil(heapShare(connectionBytes))) {}

  connected(socket: Socket): void {
    this.repliesOf.set(socket, new Set());
    socket.once('close', () => this.forget(socket));
    if (this.repliesOf.size > this.max) this.cutOldest(socket);
  }

  /** A request has come. */
  took(res: ServerResponse): void {
    const { socket } = res.req;
    const replies = this.repliesOf.get(socket);
    if (replies === undefined) return;
    replies.add(res);
    if (!probes.test(res.req.url ?? '')) this.probing.delete(socket);
    else if (this.probing.size < probingMax) this.probing.add(socket);
    // A Map keeps the order of insertion: what was heard of last is cut last.
    this.repliesOf.delete(socket);
    this.repliesOf.set(socket, replies);
    if (replies.size > repliesMax) socket.destroy();
    res.on('close', () => {
      replies.delete(res);
      if (isKnown(res)) this.forget(socket);
    });
  }

  /** Cuts connections until what they have to send is within its bound. */
  cutUnread(): void {
    const unread = [...this.repliesOf.keys()].filter((socket) => socket.writableLength > 0);
    let bytes = unread.reduce((sum, socket) => sum + socket.writableLength, 0);
    for (const socket of unread) {
      if (bytes <= heapShare(unreadShare)) return;
      bytes -= socket.writableLength;
      socket.destroy();
    }
  }

  private forget(socket: Socket): void {
    this.repliesOf.delete(socket);
    this.probing.delete(socket);
  }

  private cutOldest(latest: Socket): void {
    for (const [socket, replies] of this.repliesOf) {
      const isKnownNow = [...replies].some(isKnown);
      if (!isKnownNow && (socket === latest || this.probing.has(socket))) continue;
      this.forget(socket);
      if (!isKnownNow) socket.destroy();
      if (this.repliesOf.size <= this.max) return;
    }
  }
}

function isKnown(res: ServerResponse): boolean {
  return 'locals' in res && localsOf(res as Response).caller !== undefined;
}

/** Cuts each connection that has had something to send for so long and sent none of it. */
export function cutStalled(sockets: Iterable<Socket>, unreadMs: number): void {
  for (const socket of sockets) if (stalledMs(socket) >= unreadMs) socket.destroy();
}
