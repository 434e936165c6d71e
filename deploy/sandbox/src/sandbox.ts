import type { Account, AccountSettings } from './control/account';
import { Accounts, type AccountRequest } from './control/accounts';
import { Faults } from './control/faults';
import { Journal, type JournalLine } from './control/journal';
import { Ledger, type LedgerEntry } from './control/ledger';

/** What a call leaves in the ledger; the sandbox adds what it really wrote. */
export type CallOutcome = Omit<LedgerEntry, 'seq' | 'account' | 'applied' | 'recordIds'>;

export interface SandboxState {
  readonly now: () => Date;
  /** Settings of an account for which nothing is asked. */
  readonly defaults: Partial<AccountSettings>;
  /** Path of a journal; without it everything is gone with the process. */
  readonly ledgerFile?: string | undefined;
}

/** Accounts, ledger and faults of one sandbox, and the journal that outlives it. */
export class Sandbox {
  readonly accounts: Accounts;
  readonly ledger = new Ledger();
  readonly faults = new Faults();
  readonly now: () => Date;
  private readonly journal: Journal | undefined;

  constructor(state: SandboxState) {
    this.now = state.now;
    this.accounts = new Accounts(state.defaults);
    this.journal = state.ledgerFile === undefined ? undefined : new Journal(state.ledgerFile);
    for (const line of this.journal?.load() ?? []) this.restore(line);
  }

  openAccount(request: AccountRequest): { account: Account; token: string } {
    const opened = this.accounts.open(request);
    this.journal?.write({ account: { ...request, token: opened.token } });
    return opened;
  }

  /** Adds a call to the ledger together with the contacts it changed. Call once per call, when its outcome is decided. */
  record(account: Account | undefined, outcome: CallOutcome): LedgerEntry {
    const contacts = account?.contacts.takeChanges() ?? [];
    const { fault, tookMs, at, ...rest } = outcome;
    const wrote = { applied: contacts.length, recordIds: contacts.map((contact) => contact.id) };
    const name = account?.name ?? null;
    const entry = this.ledger.append({ at, account: name, ...rest, ...wrote, ...(fault ? { fault } : {}), tookMs });
    this.journal?.write({ call: entry, contacts });
    return entry;
  }

  /** A fresh start: contacts, ledger, limits and faults of one account or of all; `accounts` removes those too. */
  clear(what: { readonly account?: string; readonly accounts: boolean }): void {
    this.forget(what);
    this.journal?.write({ cleared: what });
  }

  /** Cuts the calls that wait. */
  stop(): void {
    for (const account of this.accounts.all()) account.cutWaiting();
  }

  /** Call when nothing is written any more. */
  async close(): Promise<void> {
    await this.journal?.close();
  }

  private forget({ account, accounts }: { readonly account?: string; readonly accounts: boolean }): void {
    for (const one of account === undefined ? this.accounts.all() : [this.accounts.get(account)]) one.clear();
    this.ledger.clear(account);
    this.faults.clear(account === undefined ? {} : { account });
    if (accounts && account === undefined) this.accounts.removeAll();
  }

  private restore(line: JournalLine): void {
    if ('account' in line) this.accounts.open(line.account);
    if ('cleared' in line) this.forget(line.cleared);
    if (!('call' in line)) return;
    this.ledger.restore(line.call);
    if (line.call.account === null) return;
    const { contacts } = this.accounts.get(line.call.account);
    for (const contact of line.contacts) contacts.restore(contact);
  }
}
