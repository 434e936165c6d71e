import { cleanUp } from './clean-up';
import type { Journal, JournalEntry } from './journal';
import type { OpenedAccount } from './open-account';

export interface LeftoversRequest {
  readonly journal: Journal;
  /** Also of runs whose process seems to be alive. */
  readonly isThorough: boolean;
  /** What cannot be deleted through Sluice may stay, and leaves the journal once it was reported. */
  readonly mayStay: boolean;
  readonly say: (line: string) => void;
}

/** Removes what earlier runs left in an account. @returns whether nothing of them is left, or nothing that may not stay */
export async function removeLeftovers(
  { connector, auth, fixture }: OpenedAccount,
  { journal, isThorough, mayStay, say }: LeftoversRequest,
): Promise<boolean> {
  const { workspaceRef } = await connector.workspace({ auth });
  let isClean = true;
  for (const entry of journal.unfinished(connector.provider, workspaceRef)) {
    const { run, pid, records } = entry;
    if (!isThorough && isAlive(entry)) {
      say(`the run ${run} is under way in process ${pid}: left alone`);
      continue;
    }
    const { left, stays } = await cleanUp({ connector, auth, fixture }, records);
    const isGone = left.length === 0 && (stays.length === 0 || mayStay);
    say(`the run ${run} had not come to its end: ${sentenceOf(left, stays)}`);
    if (isGone) journal.remove(run);
    isClean &&= isGone;
  }
  return isClean;
}

function sentenceOf(left: readonly string[], stays: readonly string[]): string {
  if (left.length > 0) return `still left: ${left.join(', ')}`;
  return stays.length > 0 ? `delete by hand: ${stays.join(', ')}` : 'what it left is removed';
}

/** A process of this machine; one of another user counts as alive. */
function isAlive({ pid }: JournalEntry): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
