import type { Encoding } from '../control/fault';
import type { WireReply } from '../control/imitated-provider';

/** A reply that is more awkward to read than its text. */
export type Manner =
  /** The connection closes when it was idle for so long. */
  | { readonly kind: 'close-idle'; readonly delayMs: number }
  /** The head, then one byte at a time, for ever. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** So many bytes in place of the body. */
  | { readonly kind: 'huge'; readonly bytes: number }
  | { readonly kind: 'encoded'; readonly encoding: Encoding };

/** How a call ends on the wire. */
export interface Ending {
  /** Absent: the connection is cut without a byte, after `holdMs`. */
  readonly reply?: WireReply;
  /** Only half of the reply goes out. */
  readonly isHalf?: true;
  /** How long the connection stays open in silence. */
  readonly holdMs?: number;
  /** @default the reply goes out at once, as it is */
  readonly manner?: Manner;
}
