import type { Account } from './control/account';
import { Accounts, type AccountRequest } from './control/accounts';
import { AuthorizationCodes } from './control/oauth';
import { Faults } from './control/faults';
import type { ImitatedProvider, ReceivedCall, AccountChange } from './control/imitated-provider';
import { Journal, type JournalLine } from './control/journal';
import { Ledger, type LedgerEntry } from './control/ledger';
import { createHubspot } from './hubspot/hubspot';
import { createRestProviders } from './rest/create-rest';
import { createSalesforce } from './salesforce/salesforce';

/** The outcome of a call for the ledger; the sandbox adds what it really wrote. */
export type CallOutcome = Omit<LedgerEntry, 'seq' | 'account' | 'applied' | 'recordIds' | 'carried' | 'markers'>;

export interface SandboxState {
  readonly now: () => Date;
  /** Path of a journal; without it everything is lost with the process. */
  readonly ledgerFile?: string | undefined;
}

/** Accounts, ledger and faults of one sandbox, and the journal that outlives it. */
export class Sandbox {
  readonly providers: readonly ImitatedProvider[] = [createHubspot(), createSalesforce(), ...createRestProviders()];
  readonly accounts: Accounts;
  readonly codes = new AuthorizationCodes();
  readonly ledger = new Ledger();
  readonly faults: Faults;
  readonly now: () => Date;
  private readonly journal: Journal | undefined;

  constructor(state: SandboxState) {
    this.now = state.now;
    this.faults = new Faults(state.now);
    this.accounts = new Accounts(this.providers);
    this.journal = state.ledgerFile === undefined ? undefined : new Journal(state.ledgerFile);
    for (const line of this.journal?.load() ?? []) this.restore(line);
  }

  openAccount(request: AccountRequest): Account {
    const account = this.accounts.open(request, this.now());
    this.journal?.write({ account: request });
    this.recordGrant(account);
    return account;
  }

  /** Writes the tokens of an account to the journal. Call after each change of them. */
  recordGrant(account: Account): void {
    this.journal?.write({ grant: account.grant.current, of: account.name });
  }

  /**
   * Adds a call to the ledger together with what it changed. Call once per call, when its outcome is decided.
   * @param received the call itself, for the markers it carried. @default none are recorded
   */
  record(account: Account | undefined, outcome: CallOutcome, received?: ReceivedCall): LedgerEntry {
    const changes = account?.imitated.data.takeChanges() ?? [];
    const recordIds = changes.flatMap(({ recordId }) => (recordId === undefined ? [] : [recordId]));
    const marked = account && received ? markersOf(account, received, changes) : {};
    const wrote = { applied: recordIds.length, recordIds, ...marked };
    const entry = this.ledger.append({ ...outcome, account: account?.name ?? null, ...wrote });
    this.journal?.write({ call: entry, changes });
    return entry;
  }

  /** Removes records, ledger, used limits and faults of one account or of all; the accounts stay. */
  clear(account?: string): void {
    this.forget(account);
    this.journal?.write({ cleared: account === undefined ? {} : { account } });
  }

  /** Cuts the calls that wait. */
  stop(): void {
    for (const account of this.accounts.all()) account.cutWaiting();
  }

  /** Call when no more calls are under way. */
  async close(): Promise<void> {
    await this.journal?.close();
  }

  private forget(account?: string): void {
    for (const one of account === undefined ? this.accounts.all() : [this.accounts.get(account)]) one.clear();
    this.ledger.clear(account);
    this.faults.clear(account);
  }

  private restore(line: JournalLine): void {
    if ('account' in line) this.accounts.open(line.account, this.now());
    if ('cleared' in line) this.forget(line.cleared.account);
    if ('grant' in line) {
      const account = this.accounts.get(line.of);
      account.grant.restore(line.grant);
      this.accounts.register(account);
    }
    if (!('call' in line)) return;
    this.ledger.restore(line.call);
    if (line.call.account === null) return;
    const { imitated } = this.accounts.get(line.call.account);
    for (const change of line.changes) imitated.data.restore(change);
  }
}

type Marked = Pick<LedgerEntry, 'carried' | 'markers'>;

/**
 * What a call carried and what it wrote, by the value of the provider's marker field. So a test finds its own records in the ledger whatever the
 * reply claimed.
 */
function markersOf(account: Account, call: ReceivedCall, changes: readonly AccountChange[]): Marked {
  const field = account.provider.markerField;
  const carried = account.provider.carriedFields(call).map((fields) => textOf(fields[field]));
  if (carried.every((marker) => marker === '')) return {};
  const sent = new Set(carried);
  const written = changes.filter(({ recordId }) => recordId !== undefined);
  const markers = written.map((change) => {
    const marker = textOf(account.imitated.data.fieldsOf(change)[field]);
    return sent.has(marker) ? marker : '';
  });
  return { carried, markers };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
