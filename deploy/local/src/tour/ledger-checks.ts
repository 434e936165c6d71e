import type { LedgerEntry } from '@sluice/sandbox';
import type { Tour } from './tour';
import { expectThat } from './step-failure';

/** Calls of this run that wrote this contact. */
async function callsThatWrote(tour: Tour, recordId: string): Promise<readonly LedgerEntry[]> {
  const ledger = await tour.sandbox.ledgerSince(tour.begunAt);
  return ledger.filter((entry) => entry.recordIds.includes(recordId));
}

/** Fails unless the contact was written by these calls, once each. @param actions in order, as the ledger names them */
export async function expectWrittenBy(tour: Tour, recordId: string, actions: readonly string[]): Promise<void> {
  const seen = (await callsThatWrote(tour, recordId)).map((entry) => entry.action);
  const isSame = seen.length === actions.length && seen.every((action, at) => action === actions[at]);
  const wanted = actions.join(', ');
  expectThat(isSame, `The sandbox's ledger should show ${wanted} of contact ${recordId}, and shows: ${list(seen)}.`);
}

/** Calls since a moment that are of this kind. */
export async function callsSince(tour: Tour, moment: Date, action: string): Promise<readonly LedgerEntry[]> {
  const ledger = await tour.sandbox.ledgerSince(moment);
  return ledger.filter((entry) => entry.action === action);
}

function list(words: readonly string[]): string {
  return words.length === 0 ? 'nothing' : words.join(', ');
}
