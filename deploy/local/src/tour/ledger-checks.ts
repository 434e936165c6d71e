import type { LedgerEntry } from '@sluice/sandbox';
import { expectThat } from './expect';
import type { Tour } from './tour';

/** Fails unless calls of this run wrote this contact, once each. @param actions in order, as HubSpot's ledger names them */
export async function expectWrittenBy(tour: Tour, recordId: string, actions: readonly string[]): Promise<void> {
  const ledger = await tour.hubspot.sandbox.ledgerSince(tour.begunAt);
  const seen = ledger.filter((entry) => entry.recordIds.includes(recordId)).map((entry) => entry.action);
  const wanted = actions.join(', ');
  const found = seen.join(', ') || 'nothing';
  expectThat(
    found === wanted,
    `The sandbox's ledger should show ${wanted} of contact ${recordId}, and shows: ${found}.`,
  );
}

/** HubSpot's calls of this kind since a moment. */
export async function callsSince(tour: Tour, moment: Date, action: string): Promise<readonly LedgerEntry[]> {
  const ledger = await tour.hubspot.sandbox.ledgerSince(moment);
  return ledger.filter((entry) => entry.action === action);
}
