import type { ImitatedAccount, InputRefusal, ReceivedCall } from './imitated-provider';
import { seededRandom } from './seeded-random';

/** What a write found when it asked for its rows. */
export interface HeldRows {
  /** Inputs whose row another call holds, and which draw a refusal. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
  release(): void;
}

const nothingHeld: HeldRows = { refusals: new Map(), release: () => undefined };

/**
 * Rows that the calls under way hold. Salesforce locks the parent of each record that is written, for as long as the write takes;
 * it lets another wait and then refuses it. Here the other is refused at once, with the chance that the account asks for.
 */
export class RowLocks {
  private readonly holders = new Map<string, number>();
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Takes the rows of a write. Those of refused inputs are not taken. @param chance of a refusal, 0 to 1 */
  take(account: ImitatedAccount, call: ReceivedCall, chance: number): HeldRows {
    if (chance === 0 || !account.lockedRows || !account.lockRefusal) return nothingHeld;
    const refusals = new Map<number, InputRefusal>();
    const mine: string[] = [];
    for (const [index, rows] of account.lockedRows(call).entries()) {
      const locked = rows.find((row) => this.holders.has(row));
      if (locked !== undefined && this.random() < chance) refusals.set(index, account.lockRefusal(locked));
      else mine.push(...rows);
    }
    // The inputs of one call share a transaction, so they do not hold each other up.
    for (const row of mine) this.holders.set(row, (this.holders.get(row) ?? 0) + 1);
    return { refusals, release: () => mine.forEach((row) => this.drop(row)) };
  }

  private drop(row: string): void {
    const left = (this.holders.get(row) ?? 0) - 1;
    if (left > 0) this.holders.set(row, left);
    else this.holders.delete(row);
  }
}
