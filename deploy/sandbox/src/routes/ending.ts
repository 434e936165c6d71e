import type { WireReply } from '../control/imitated-provider';

/** How a call ends on the wire. */
export interface Ending {
  /** Absent: the connection is cut without a byte, after `holdMs`. */
  readonly reply?: WireReply;
  /** Only half of the reply goes out. */
  readonly isHalf?: true;
  /** How long the connection stays open in silence. */
  readonly holdMs?: number;
}
