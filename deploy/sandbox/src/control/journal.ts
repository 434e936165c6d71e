import { closeSync, fchmodSync, fdatasync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { AccountRequest } from './accounts';
import type { GrantState } from './grant';
import type { AccountChange } from './imitated-provider';
import type { LedgerEntry } from './ledger';

const flush = promisify(fdatasync);

/** One line of a journal: an account, its tokens, a call with its changes, or a reset. */
export type JournalLine =
  | { readonly account: AccountRequest }
  | { readonly grant: GrantState; readonly of: string }
  | { readonly call: LedgerEntry; readonly changes: readonly AccountChange[] }
  | { readonly cleared: { readonly account?: string } };

const ownerOnly = 0o600;

/**
 * A sandbox on disk: JSON lines, one per event, written before the reply is sent, so that `kill -9` loses nothing
 * that a caller has received. `fdatasync` follows in the background, one at a time; only a crash of the machine can lose
 * the last milliseconds.
 */
export class Journal {
  private readonly file: number;
  private isDirty = false;
  private syncing: Promise<void> | undefined;

  constructor(private readonly path: string) {
    // It holds tokens.
    this.file = openSync(path, 'a+', ownerOnly);
    fchmodSync(this.file, ownerOnly);
  }

  /** Every complete line so far. A last line that a crash truncated is removed. */
  load(): JournalLine[] {
    const text = readFileSync(this.path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(this.path, Buffer.byteLength(whole));
    return whole
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as JournalLine);
  }

  write(line: JournalLine): void {
    writeSync(this.file, `${JSON.stringify(line)}\n`);
    this.isDirty = true;
    this.syncing ??= this.sync();
  }

  /** Waits until everything is on disk. */
  async close(): Promise<void> {
    await this.syncing;
    closeSync(this.file);
  }

  private async sync(): Promise<void> {
    while (this.isDirty) {
      this.isDirty = false;
      await flush(this.file);
    }
    this.syncing = undefined;
  }
}
