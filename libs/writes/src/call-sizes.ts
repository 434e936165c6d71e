import type { ClaimedCall, LaneKey } from '@sluice/store';
import type { CallToPerform, Sendable } from './performing/attempt';
import { inParts, isAllOrNone, type PerformedCall } from './performing/perform-call';

/** Account and object of a call. */
type SizedCall = LaneKey & { readonly objectName: string };

interface Known {
  /** The smallest call that was refused for its size. */
  readonly refused: number;
  /** The largest that was written since. 0: none yet. */
  readonly passed: number;
  readonly untilMs: number;
}

/** What an account takes may change: its administrators mend triggers. Source: our choice, a working day and a night. */
const knownForMs = 24 * 3_600_000;
/** Accounts and objects that are remembered; one that is forgotten is learned again by one refused call. */
const knownMax = 10_000;

/**
 * How many records of an object an account takes in one call, once it has refused one for its size: calls that are made after it are divided
 * before they are sent. It stays in the memory of the process: where it is missing, one call of that process is refused. A
 * shared store would cost every call a read (ADR 39).
 */
export class CallSizes {
  private readonly known = new Map<string, Known>();

  /**
   * @param timeScale how much faster than its clock the process runs, in tests. @default 1
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly timeScale = 1,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The calls that a call is to be sent in, by the indexes of their records. Empty: in one, as far as is known. Also for a part of a
   * refused call: only the provider's reply divides it, because the bound of calls for each record at fault depends on that.
   */
  partsOf(
    request: Pick<CallToPerform, 'records' | 'connector'> & { readonly call: ClaimedCall },
  ): (readonly number[])[] {
    const { call, records } = request;
    const known = this.find(call);
    if (known === undefined || isAllOrNone(request) || records.some(isRefusedWithOthers)) return [];
    const size = Math.max(known.passed, Math.ceil(known.refused / 4));
    const count = Math.ceil(records.length / size);
    const indexes = records.map(({ index }) => index);
    return count > 1 ? inParts(indexes, count) : [];
  }

  /**
   * Learns from a call that was made. Where as many records were written in one call meanwhile, a refusal was for their content.
   * A refusal of a single record shows that this record is too large by itself.
   */
  learn(
    call: SizedCall,
    { results, parts, sentFields }: Pick<PerformedCall, 'results' | 'parts' | 'sentFields'>,
  ): void {
    const known = this.find(call);
    const isRefused = results.some((result) => !result.ok && result.error.isOfSize === true);
    const key = keyOf(call);
    if (isRefused && results.length === 1) this.known.delete(key);
    else if (isRefused && parts.length > 0) {
      const [refused, passed] = [parts.flat().length, known?.passed ?? 0];
      if (refused <= passed) return;
      this.known.delete(key);
      const least = Math.min(refused, known?.refused ?? refused);
      this.known.set(key, { refused: least, passed, untilMs: this.now() + knownForMs / this.timeScale });
      const [oldest] = this.known.keys();
      if (this.known.size > knownMax && oldest !== undefined) this.known.delete(oldest);
    } else if (known !== undefined) {
      const written = sentFields.filter((fields) => fields !== undefined).length;
      if (written > known.passed) this.known.set(key, { ...known, passed: written });
    }
  }

  private find(call: SizedCall): Known | undefined {
    if (this.known.size === 0) return undefined;
    const known = this.known.get(keyOf(call));
    return known !== undefined && known.untilMs > this.now() ? known : undefined;
  }
}

function isRefusedWithOthers({ firstSentAt, lastError }: Sendable): boolean {
  return firstSentAt === undefined && lastError !== undefined;
}

function keyOf({ projectId, laneId, objectName }: SizedCall): string {
  return JSON.stringify([projectId, laneId, objectName]);
}
