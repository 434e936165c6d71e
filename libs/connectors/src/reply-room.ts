import { createByteBudget, heapShare, type HeldBytes } from '@sluice/telemetry';

/**
 * Bytes of provider replies that a process holds at once. Most replies have some kB and need no room. A larger one waits for it before it is
 * read on, and keeps it until whoever asked is done: its text, its value and what is made of them cost several times its size.
 */
export interface ReplyRoom {
  /** Size up to which a reply needs no room. */
  readonly freeBytes: number;
  /**
   * @param arrivedBytes what has come of it
   * @param announcedBytes its Content-Length; absent: as much as is read of any
   * @param held of this reply alone
   * @returns for how many bytes there is room; undefined when there was none by `untilMs`
   */
  take(
    arrivedBytes: number,
    announcedBytes: number | undefined,
    untilMs: number,
    held: HeldBytes,
  ): Promise<number | undefined>;
}

/** Largest reply that is read. A full HubSpot batch reply is below 1 MB. */
export const replyBytesMax = 10 * 1024 * 1024;
/** A batch of 100 records of a few short fields. */
const freeBytes = 65_536;
/** A full batch reply of HubSpot is below it. */
const mediumBytes = 1_048_576;
/**
 * Of the heap. The two are apart, so that a reply which outgrows the first waits for the second while it holds the first, and never the other way
 * round; and a call gives the room of one reply back before it makes its next request. So nobody who waits holds what another waits for. A reply of 10 MB was seen to take up to 100 MB until it was answered with (tests/memory), so with the heaps of the chart they go one at a
 * time.
 */
const shares = { medium: 16, large: 24 };

export function createReplyRoom(): ReplyRoom {
  const medium = createByteBudget(heapShare(shares.medium));
  const large = createByteBudget(heapShare(shares.large));
  return {
    freeBytes,
    take: async (arrivedBytes, announcedBytes, untilMs, held) => {
      const unannounced = arrivedBytes <= mediumBytes ? mediumBytes : replyBytesMax;
      const bytes = Math.min(announcedBytes ?? unannounced, replyBytesMax);
      return (await (bytes <= mediumBytes ? medium : large).take(bytes, untilMs, held)) ? bytes : undefined;
    },
  };
}
