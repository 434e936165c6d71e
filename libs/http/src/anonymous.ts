import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { heapShare } from '@sluice/telemetry';
import { clientAddress, type ClientAddress } from './client-address';
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
/** Of the connections, for one address. An office of a hundred people has one. */
const addressShare = 8;
const probes = /^\/(?:healthz|readyz|metrics)(?:\?|$)/;

/** What a server grants connections on which no caller has shown credentials. */
export interface AnonymousBounds {
  /** Connections at once. @default one for each 160 kB of the heap */
  readonly anonymousMax?: number | undefined;
  /** Requests of one connection whose replies are not read. @default 32 */
  readonly repliesMax?: number | undefined;
  /** CIDRs of proxies whose X-Forwarded-For is believed. @default none, and then there is no bound per address */
  readonly trustedProxies?: readonly string[] | undefined;
}

/**
 * Cuts the connections of a server that read nothing, and bounds the anonymous ones.
 * @returns what each request is announced to
 */
export function guardConnections(
  server: Server,
  bounds: AnonymousBounds,
  times: { readonly unreadTimeout: number; readonly connectionsCheckingInterval: number },
) {
  const sockets = new Set<Socket>();
  const anonymous = new AnonymousConnections(bounds);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    anonymous.connected(socket);
  });
  const check = () => {
    for (const socket of sockets) if (stalledMs(socket) >= times.unreadTimeout) socket.destroy();
    anonymous.cutUnread();
  };
  const checking = setInterval(check, times.connectionsCheckingInterval).unref();
  server.once('close', () => clearInterval(checking));
  return anonymous;
}

interface Connection {
  readonly replies: Set<ServerResponse>;
  /** From where it is used now, where the proxies are known. */
  address: string | undefined;
}

/**
 * The connections on which no caller has shown credentials yet. When there are too many, or when they have too much to send together, the one that
 * has sent no request for the longest is cut. So a new connection, a health probe's too, is always served. Some that carried a probe last are
 * never cut.
 */
class AnonymousConnections {
  private readonly connections = new Map<Socket, Connection>();
  private readonly ofAddress = new Map<string, Set<Socket>>();
  private readonly probing = new Set<Socket>();
  private readonly max: number;
  private readonly repliesMax: number;
  private readonly addressOf: ClientAddress | undefined;

  constructor(o: AnonymousBounds) {
    this.max = o.anonymousMax ?? Math.ceil(heapShare(connectionBytes));
    this.repliesMax = o.repliesMax ?? repliesMax;
    this.addressOf = o.trustedProxies?.length ? clientAddress(o.trustedProxies) : undefined;
  }

  connected(socket: Socket): void {
    socket.once('close', () => this.forget(socket));
    this.begin(socket);
  }

  private begin(socket: Socket): Connection {
    const connection: Connection = { replies: new Set(), address: undefined };
    this.connections.set(socket, connection);
    this.countFor(socket, this.addressOf?.(socket));
    if (this.connections.size > this.max)
      this.cutOldest(this.connections.keys(), this.connections.size - this.max, socket);
    return connection;
  }

  /** A request has come. */
  took(res: ServerResponse): void {
    const { req } = res;
    const { socket } = req;
    if (socket.destroyed) return;
    // A connection whose caller is known may carry requests of nobody later, a proxy's above all, or many behind each other.
    const isPlain = showsCredentials(req) && res.socket !== null;
    const connection = this.connections.get(socket) ?? (isPlain ? undefined : this.begin(socket));
    if (connection === undefined) return;
    const { replies } = connection;
    replies.add(res);
    if (!probes.test(req.url ?? '')) this.probing.delete(socket);
    else if (this.probing.size < probingMax) this.probing.add(socket);
    // A Map keeps the order of insertion: what was heard of last is cut last.
    this.connections.delete(socket);
    this.connections.set(socket, connection);
    this.countFor(socket, this.addressOf?.(socket, req));
    if (replies.size > this.repliesMax) socket.destroy();
    res.on('close', () => {
      replies.delete(res);
      // Another request waits, of somebody else perhaps.
      if (this.connections.get(socket)?.replies.size !== 0) return;
      if (isKnown(res)) this.forget(socket);
      else this.countFor(socket, this.addressOf?.(socket));
    });
  }

  /** Cuts connections until what they have to send is within its bound. */
  cutUnread(): void {
    const unread = [...this.connections.keys()].filter((socket) => socket.writableLength > 0);
    let bytes = unread.reduce((sum, socket) => sum + socket.writableLength, 0);
    for (const socket of unread) {
      if (bytes <= heapShare(unreadShare)) return;
      bytes -= socket.writableLength;
      socket.destroy();
    }
  }

  private forget(socket: Socket): void {
    this.countFor(socket, undefined);
    this.connections.delete(socket);
    this.probing.delete(socket);
  }

  /** Counts a connection for another address than before, as its latest. */
  private countFor(socket: Socket, address: string | undefined): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    const before = this.ofAddress.get(connection.address ?? '');
    before?.delete(socket);
    if (before?.size === 0) this.ofAddress.delete(connection.address ?? '');
    connection.address = address;
    if (address === undefined) return;
    const own = this.ofAddress.get(address) ?? new Set();
    this.ofAddress.set(address, own.add(socket));
    const most = Math.ceil(this.max / addressShare);
    if (own.size > most) this.cutOldest(own, own.size - most, socket);
  }

  private cutOldest(sockets: Iterable<Socket>, excess: number, latest: Socket): void {
    let left = excess;
    for (const socket of sockets) {
      const replies = this.connections.get(socket)?.replies ?? [];
      const isKnownNow = [...replies].some(isKnown);
      if (!isKnownNow && (socket === latest || this.probing.has(socket))) continue;
      this.forget(socket);
      if (!isKnownNow) socket.destroy();
      if (--left === 0) return;
    }
  }
}

function showsCredentials({ headers }: IncomingMessage): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

function isKnown(res: ServerResponse): boolean {
  return 'locals' in res && localsOf(res as Response).caller !== undefined;
}
