import { setMaxListeners } from 'node:events';
import { digest, seededRandom } from './derived';
import type { Grant } from './grant';
import type {
  AccountSettings,
  ImitatedAccount,
  ImitatedProvider,
  InputRefusal,
  ReceivedCall,
} from './imitated-provider';

/** One account at an imitated provider: its records, its tokens, its settings, the calls under way. */
export class Account {
  readonly name: string;
  readonly provider: ImitatedProvider;
  readonly imitated: ImitatedAccount;
  readonly grant: Grant;
  readonly locks: RowLocks;
  settings: AccountSettings;
  private waits = newWaits();
  private readonly calls = new Set<{ readonly startedAtMs: number }>();

  constructor(parts: Pick<Account, 'name' | 'provider' | 'imitated' | 'grant' | 'settings'>) {
    this.name = parts.name;
    this.provider = parts.provider;
    this.imitated = parts.imitated;
    this.grant = parts.grant;
    this.settings = parts.settings;
    this.locks = new RowLocks(digest(parts.name).readUInt32BE(0));
  }

  /** Calls that arrived and have no reply yet. */
  get inFlight(): number {
    return this.calls.size;
  }

  /** Aborted when every call that waits in this account must end without any effect. */
  get waiting(): AbortSignal {
    return this.waits.signal;
  }

  /** Counts a call as under way. @returns what ends that */
  enter(nowMs: number): () => void {
    const call = { startedAtMs: nowMs };
    this.calls.add(call);
    return () => void this.calls.delete(call);
  }

  /** Calls that have lasted at least `limits.longAfterMs`. */
  longCalls(nowMs: number): number {
    const { longAfterMs } = this.settings.limits;
    return [...this.calls].filter(({ startedAtMs }) => nowMs - startedAtMs >= longAfterMs).length;
  }

  /** Cuts the calls that wait because of a fault. */
  cutWaiting(): void {
    this.waits.abort();
    this.waits = newWaits();
  }

  /** Removes records and used limits; keeps tokens and settings. */
  clear(): void {
    this.cutWaiting();
    this.imitated.clear();
  }
}

function newWaits(): AbortController {
  const waits = new AbortController();
  // One listener per waiting call; there may be thousands.
  setMaxListeners(0, waits.signal);
  return waits;
}

/** The outcome of locking the rows of a write. */
interface HeldRows {
  /** Inputs that are refused because another call holds their row. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
  release(): void;
}

const nothingHeld: HeldRows = { refusals: new Map(), release: () => undefined };

/**
 * Rows that the calls under way have locked. Salesforce locks the parent of each record that is written, for as long as the write takes;
 * another write waits and is then refused. Here it is refused at once, with the chance in the account's settings.
 */
class RowLocks {
  private readonly holders = new Map<string, number>();
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Locks the rows of a write, but those of refused inputs. @param chance of a refusal, 0 to 1 */
  take(account: ImitatedAccount, call: ReceivedCall, chance: number): HeldRows {
    if (chance === 0 || !account.lockedRows || !account.lockRefusal) return nothingHeld;
    const refusals = new Map<number, InputRefusal>();
    const mine: string[] = [];
    for (const [index, rows] of account.lockedRows(call).entries()) {
      const locked = rows.find((row) => this.holders.has(row));
      if (locked !== undefined && this.random() < chance) refusals.set(index, account.lockRefusal(locked));
      else mine.push(...rows);
    }
    // The inputs of one call share a transaction, so they do not block each other.
    for (const row of mine) this.holders.set(row, (this.holders.get(row) ?? 0) + 1);
    return { refusals, release: () => mine.forEach((row) => this.drop(row)) };
  }

  private drop(row: string): void {
    const left = (this.holders.get(row) ?? 0) - 1;
    if (left > 0) this.holders.set(row, left);
    else this.holders.delete(row);
  }
}
