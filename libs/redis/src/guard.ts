import type { Counter, Logger } from '@sluice/telemetry';
import { Redis } from 'ioredis';
import { exhaustScript, returnScript, takeScript, usedScript } from './quota-scripts';

export interface GuardOptions {
  readonly logger: Logger;
  readonly failures: Counter<'sluice_redis_failures_total'>;
  /** Longest wait for a reply. @default 50 */
  readonly timeoutMs?: number | undefined;
  /** How long no command is sent after a failure. @default 1000 */
  readonly openMs?: number | undefined;
}

export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

const noReply = { ok: false } as const;
const late = Symbol('late');
const lost = Symbol('lost');

/**
 * Sends commands to Redis without ever throwing or waiting long. After a timeout or a broken connection it stops sending (the circuit is open), then
 * lets one command through as a probe. An error reply does not open the circuit, because a Redis that replies is quick.
 */
export class Guard {
  private readonly timeoutMs: number;
  private readonly openMs: number;
  private openUntilMs = 0;
  private isDown = false;
  private isProbing = false;
  private readonly waiting = new Set<() => void>();
  private readonly said = new Set<string>();

  constructor(private readonly options: GuardOptions) {
    // A reply takes less than a millisecond; fifty are a tenth of what a caller may notice.
    this.timeoutMs = options.timeoutMs ?? 50;
    this.openMs = options.openMs ?? 1_000;
  }

  async send<T>(command: () => Promise<T>): Promise<Reply<T>> {
    if (this.isDown && (this.isProbing || performance.now() < this.openUntilMs)) return noReply;
    this.isProbing = this.isDown;
    try {
      const value = await this.inTime(command());
      if (value === late) return this.failed('timeout', undefined);
      if (value === lost) return this.failed('connection', undefined);
      this.reset();
      return { ok: true, value };
    } catch (error) {
      return this.failed(error instanceof Error && error.name === 'ReplyError' ? 'reply' : 'connection', error);
    } finally {
      this.isProbing = false;
    }
  }

  /** Redis takes writes. */
  wellAgain(): void {
    this.said.clear();
    this.reset();
  }

  /** Redis is known to reply again. */
  reset(): void {
    if (this.isDown) this.options.logger.info({}, 'redis.recovered');
    this.isDown = false;
  }

  /** The connection ended: the commands that wait get no reply. ioredis leaves them pending for ever. */
  connectionLost(): void {
    for (const giveUp of this.waiting) giveUp();
  }

  /** Says what Redis refused, and what to do about it, once for each of its words until `wellAgain`. */
  refused(error: unknown): void {
    const { word, remedy } = refusalOf(error);
    const level = this.said.has(word) ? 'debug' : 'warn';
    this.said.add(word);
    this.options.logger[level]({ word, remedy, error }, 'redis.refused');
  }

  private async inTime<T>(reply: Promise<T>): Promise<T | typeof late | typeof lost> {
    let stop = (): void => undefined;
    const silence = new Promise<typeof late | typeof lost>((resolve) => {
      // One more turn of the event loop: after a pause of this process the reply may have arrived unread.
      const timer = setTimeout(() => setImmediate(() => resolve(late)), this.timeoutMs);
      const giveUp = () => resolve(lost);
      this.waiting.add(giveUp);
      stop = () => {
        clearTimeout(timer);
        this.waiting.delete(giveUp);
      };
    });
    return Promise.race([reply, silence]).finally(stop);
  }

  private failed(reason: 'timeout' | 'connection' | 'reply', error: unknown): Reply<never> {
    this.options.failures.inc({ reason });
    if (reason === 'reply') {
      this.refused(error);
      return noReply;
    }
    if (!this.isDown) this.options.logger.warn({ reason, error }, 'redis.unavailable');
    this.isDown = true;
    this.openUntilMs = performance.now() + this.openMs;
    return noReply;
  }
}

const address = 'REDIS_URL must lead to the primary.';
const cluster =
  'Sluice uses one Redis, not a cluster: let REDIS_URL name a server with cluster mode off, or a proxy in front of the cluster.';
const login = 'Check user and password in REDIS_URL.';
const rights = 'Let the user of REDIS_URL use all commands on keys sluice:*.';
const database = 'This Redis has not the database that REDIS_URL names, and database 0 is used: leave its number out.';

/** Remedies by the word that Redis begins with, or by words of an `ERR`. Source: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors and the reference of each setting */
const remedies: Readonly<Record<string, string>> = {
  READONLY: `${address} The connection is made anew until it does.`,
  MOVED: cluster,
  ASK: cluster,
  CROSSSLOT: cluster,
  CLUSTERDOWN: cluster,
  NOAUTH: login,
  WRONGPASS: login,
  NOPERM: rights,
  "can't run this command": rights,
  'ACL failure': rights,
  'DB index is out of range': database,
  'SELECT is not allowed': database,
  LOADING: 'Redis reads its data and answers by itself afterwards; Sluice needs none of it, so it may begin empty.',
  OOM: "Raise maxmemory, or set maxmemory-policy to allkeys-lru: Sluice's keys may be dropped at any time.",
  MISCONF: 'Redis cannot save to its disk: mend that, or set stop-writes-on-bgsave-error to no, or switch saving off.',
  NOREPLICAS: 'Bring the replicas back, or set min-replicas-to-write to 0.',
  MASTERDOWN: address,
  BUSY: 'A script runs too long: SCRIPT KILL ends it.',
};

/** A script that fails puts its own word behind others. */
const wordOf = new RegExp(`\\b(${Object.keys(remedies).join('|')})\\b`);

/** What Redis said in an error reply. `word`: the known one, else the first. */
export function refusalOf(error: unknown): { readonly word: string; readonly remedy: string } {
  const { message } = error as Error;
  const word = wordOf.exec(message)?.[1] ?? message.split(' ', 1)[0] ?? '';
  return { word, remedy: remedies[word] ?? 'The reason is in the words of Redis.' };
}

/** Least time between two connections that are made anew because of READONLY, in milliseconds: the name may lead to the same server for a while. */
const anewMs = 1_000;

/** Whether to connect anew: after a failover the old primary answers on, and takes no writes. The name may lead to the new one. */
function anewOnReadOnly(): (error: Error) => boolean {
  let lastMs = -Infinity;
  return (error) => {
    if (refusalOf(error).word !== 'READONLY' || performance.now() - lastMs < anewMs) return false;
    lastMs = performance.now();
    return true;
  };
}

/** Certificates for `rediss://`, each as PEM text: those to trust in place of the public authorities, and the client's own with its key. */
export interface RedisCertificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A client with the quota scripts as commands. */
export interface RedisClient extends Redis {
  takeQuota(
    key: string,
    ...args: number[]
  ): Promise<[granted: number, retryAfterMs: number, used: number, slice: number, leased: number, leasedSlice: number]>;
  usedQuota(key: string, windowMs: number, slices: number): Promise<number>;
  returnQuota(key: string, slice: number, calls: number): Promise<number>;
  exhaustQuota(key: string, limit: number, windowMs: number, slices: number, forMs: number): Promise<number>;
}

/**
 * Connects in the background and for ever. Nothing is queued for a Redis that is away and nothing is sent twice:
 * a reply that comes later has no use.
 */
export function redisClient(url: string, tls?: RedisCertificates): RedisClient {
  const client = new Redis(url, {
    ...(tls && { tls }),
    // Supported by every Redis and by compatible stores.
    protocol: 2,
    connectTimeout: 1_000,
    // A connection without a reply to a command for this long is replaced.
    socketTimeout: 2_000,
    // A close while Redis is away keeps the process up for this long (a timer of ioredis on a dead connection).
    disconnectTimeout: 250,
    reconnectOnError: anewOnReadOnly(),
    // A Redis that loads or refuses says so to each command, which is then logged; the check of ioredis would wait in silence.
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt - 1, 10), 1_000),
  });
  client.defineCommand('takeQuota', { numberOfKeys: 1, lua: takeScript });
  client.defineCommand('returnQuota', { numberOfKeys: 1, lua: returnScript });
  client.defineCommand('exhaustQuota', { numberOfKeys: 1, lua: exhaustScript });
  client.defineCommand('usedQuota', { numberOfKeys: 1, lua: usedScript, readOnly: true });
  return client as RedisClient;
}
