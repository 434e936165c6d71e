import type { Account } from './account';
import type { AccountChange, ReceivedCall } from './imitated-provider';
import type { LedgerEntry } from './ledger';

type Marked = Pick<LedgerEntry, 'carried' | 'markers'>;

/**
 * What a call carried and what it wrote, by the value of the account's marker field, so that a test finds its own records
 * in the ledger whatever the caller was told.
 */
export function markersOf(account: Account, call: ReceivedCall, changes: readonly AccountChange[]): Marked {
  const field = account.settings.markerField ?? account.provider.markerField;
  const carried = account.provider.carriedFields(call).map((fields) => textOf(fields[field]));
  if (carried.every((marker) => marker === '')) return {};
  const sent = new Set(carried);
  const written = changes.filter(({ recordId }) => recordId !== undefined);
  const markers = written.map((change) => {
    const marker = textOf(account.imitated.fieldsOf(change)[field]);
    return sent.has(marker) ? marker : '';
  });
  return { carried, markers };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
