import type { IncomingMessage } from 'node:http';
import { DependencyError } from '@sluice/errors';
import { createByteBudget, heapShare, type ByteBudget, type HeldBytes } from '@sluice/telemetry';
import { discardRest } from './read-body';

/**
 * Bytes of bodies that a process holds at once, from before they are read until their requests are answered. A body costs several times
 * its size: its text, its parsed value, the plans made of it and what is sent of them.
 */
export interface BodyRoom {
  readonly small: ByteBudget;
  readonly large: ByteBudget;
}

/** Bodies up to this size have a room of their own, so that no large one holds them up. */
const smallBytesMax = 65_536;
/**
 * Of the heap: a write of 4.8 MB was seen to take 45 MB of a gateway until its reply (tests/memory), so twelve times the room is what its
 * bodies may fill, and small ones a third of that.
 */
const shares = { large: 12, small: 32 };
/** Longest wait for room. Most clients give up after 30 s, and the body has still to be read and worked on. */
const waitMs = 5_000;
const retryAfterMs = 2_000;

export function createBodyRoom(): BodyRoom {
  return { small: createByteBudget(heapShare(shares.small)), large: createByteBudget(heapShare(shares.large)) };
}

/**
 * Takes room for the body that a request announces, before a byte of it is read; for as much as is allowed where it announces none.
 * @param owner whose body it is: a project gets half of the room at most
 * @throws DependencyError 503 with `Retry-After` when there is none in time
 */
export async function takeBodyRoom(
  room: BodyRoom,
  req: IncomingMessage,
  {
    bytesMax,
    owner,
    held,
  }: { readonly bytesMax: number; readonly owner: string | undefined; readonly held: HeldBytes },
): Promise<void> {
  const announced = req.headers['content-length'];
  const bytes = announced === undefined ? bytesMax : Number(announced);
  // Refused by its size in a moment.
  if (bytes > bytesMax) return;
  const budget = bytes <= smallBytesMax ? room.small : room.large;
  const release = budget.takeNow(bytes, owner) ?? (await budget.take(bytes, performance.now() + waitMs, owner));
  if (release !== undefined) {
    held.add(release);
    return;
  }
  discardRest(req);
  throw new DependencyError({
    code: 'service.unavailable',
    detail: `The service holds as many bytes of bodies as its memory allows, and this one has ${bytes}. Nothing of it was read.`,
    retryAfterMs,
    remedy: 'Send the request again as long after as Retry-After says; send fewer large bodies at the same time.',
  });
}
