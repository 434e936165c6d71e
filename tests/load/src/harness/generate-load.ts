import { startChild } from './child';

/** What the generator sends. What the marks below stand for is filled in for each request. */
export interface LoadSpec {
  readonly url: string;
  /** Paths that requests are dealt to, in place of the one of `url`. */
  readonly paths?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST. Absent: GET. */
  readonly body?: string;
  /** Groups that the requests are dealt to, from the first on. @default 1 */
  readonly groups?: number;
  /** @default 0 */
  readonly firstGroup?: number;
  readonly connections: number;
  /** Ends after this long, or after `count` requests. */
  readonly durationMs?: number;
  readonly count?: number;
  /** Requests a second, whatever the replies do (open loop). Absent: each connection sends as fast as it gets replies. */
  readonly perSecond?: number;
  /** Of an open loop: each after the same gap, or after gaps of an exponential distribution, as callers arrive who know nothing of each other. @default 'even' */
  readonly arrivals?: 'even' | 'random';
}

export interface LoadResult {
  /** Replies with 2xx. */
  readonly replies: number;
  /** Replies with another status, and the first of them. */
  readonly refused: number;
  readonly firstRefusal?: string;
  readonly elapsedMs: number;
  /** Of the 2xx, in milliseconds. In open loop from the moment the request was due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** 16 characters in a body that become a number nobody had before. */
export const mark = '################';
/** 6 characters that become the number of a group. */
export const groupMark = '%%%%%%';
/** 13 characters that become the moment of sending, in milliseconds since 1970. */
export const sentAtMark = '@@@@@@@@@@@@@';

export interface LoadGenerator {
  readonly pid: number;
  /** One run. @throws when more than one reply in a thousand is no 2xx: then the figure is about something else */
  run(spec: LoadSpec): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** The load generator, a process of its own that talks HTTP/1.1 over plain sockets: a client library would cost more than the servers under test. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child = await startChild('processes/generator', {});
  return {
    pid: child.pid,
    run: async (spec) => {
      const result = await child.ask<LoadResult>(spec);
      if (result.refused > (result.replies + result.refused) / 1000) {
        throw new Error(`${spec.url}: ${result.refused} of ${result.replies} refused, first: ${result.firstRefusal}`);
      }
      return result;
    },
    stop: () => child.kill(),
  };
}

export const perSecond = ({ replies, elapsedMs }: LoadResult): number => (replies * 1000) / elapsedMs;
