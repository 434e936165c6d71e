import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';

/**
 * What a wire does to the bytes that travel on it, in the words of Toxiproxy: latency, bandwidth, slicer, limit-data, and
 * silence (a timeout without an end).
 */
export interface WireFault {
  /** Added to each chunk, in milliseconds, each way. @default 0 */
  readonly latencyMs?: number;
  /** More of it, at most this much, drawn per chunk. @default 0 */
  readonly jitterMs?: number;
  /** From 0 up to 1; @default Math.random */
  readonly random?: () => number;
  /** Bytes per second each way. @default no limit */
  readonly bytesPerSecond?: number;
  /** Chunks of at most this many bytes. @default as they came */
  readonly sliceBytes?: number;
  /** Bytes of a reply after which its connection is reset. @default no limit */
  readonly replyBytesMax?: number;
  /** Bytes of requests, of replies, or of both that are never delivered. */
  readonly silent?: 'request' | 'reply' | 'both';
}

export type Direction = 'request' | 'reply';

/** The fault that is set now, and the way of bytes through it. */
export class Disturbance {
  private fault: WireFault = {};

  set(fault: WireFault = {}): void {
    this.fault = fault;
  }

  /** @returns writes to `to`, in order, whatever each chunk waits for */
  pipe(direction: Direction, to: Socket): (chunk: Buffer) => void {
    let tail: Promise<void> | undefined;
    let sentBytes = 0;
    return (chunk) => {
      const { fault } = this;
      if (fault.silent === direction || fault.silent === 'both') return;
      sentBytes += chunk.length;
      if (direction === 'reply' && sentBytes > (fault.replyBytesMax ?? Infinity)) {
        to.resetAndDestroy();
        return;
      }
      if (tail === undefined && !delays(fault)) {
        to.write(chunk);
        return;
      }
      const mine = deliverAfter(tail, () => deliver(fault, to, chunk)).finally(() => {
        if (tail === mine) tail = undefined;
      });
      tail = mine;
    };
  }
}

async function deliverAfter(earlier: Promise<void> | undefined, work: () => Promise<void>): Promise<void> {
  await earlier;
  await work();
}

function delays({ latencyMs = 0, jitterMs = 0, bytesPerSecond, sliceBytes }: WireFault): boolean {
  return latencyMs > 0 || jitterMs > 0 || bytesPerSecond !== undefined || sliceBytes !== undefined;
}

async function deliver(fault: WireFault, to: Socket, chunk: Buffer): Promise<void> {
  const { latencyMs = 0, jitterMs = 0, random = Math.random, bytesPerSecond, sliceBytes = chunk.length } = fault;
  const waitMs = latencyMs + random() * jitterMs;
  if (waitMs > 0) await sleep(waitMs);
  for (let at = 0; at < chunk.length; at += sliceBytes) {
    const slice = chunk.subarray(at, at + sliceBytes);
    if (bytesPerSecond !== undefined) await sleep((slice.length / bytesPerSecond) * 1_000);
    else if (at > 0) await sleep(1);
    if (to.destroyed) return;
    to.write(slice);
  }
}
