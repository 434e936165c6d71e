import type { Reply } from '@sluice/client';
import type { LedgerEntry } from '@sluice/sandbox';
import { describeBody, type SandboxClient } from '../sandbox-client';

/** A step saw something else than it should: the tour ends here, with this sentence. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** @param sentence what was expected and what came instead */
export function expectThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new StepFailure(sentence);
}

/** @returns the reply, when it has this status. @throws StepFailure */
export function expectStatus<T>(reply: Reply<T>, status: number, what: string): Reply<T> {
  const answered = `answered ${reply.status} ${describeBody(reply.body)}`;
  expectThat(reply.status === status, `${what} should answer ${status}, and ${answered}`);
  return reply;
}

/** What the checks of the ledger need of a tour. */
interface LedgerReader {
  readonly hubspot: { readonly sandbox: Pick<SandboxClient, 'ledgerSince'> };
  readonly begunAt: Date;
}

/** Fails unless calls of this run wrote this contact, once each. @param actions in order, as HubSpot's ledger names them */
export async function expectWrittenBy(tour: LedgerReader, recordId: string, actions: readonly string[]): Promise<void> {
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
export async function callsSince(
  tour: Pick<LedgerReader, 'hubspot'>,
  moment: Date,
  action: string,
): Promise<readonly LedgerEntry[]> {
  const ledger = await tour.hubspot.sandbox.ledgerSince(moment);
  return ledger.filter((entry) => entry.action === action);
}
