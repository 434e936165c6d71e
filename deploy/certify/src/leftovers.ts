import { ProviderError } from '@sluice/errors';
import type { Auth, Connector } from '@sluice/connectors';
import { cleanUpAfter, type Leftover } from './certify';
import type { Journal, JournalEntry } from './journal';
import type { Certified } from './open-certified';
import type { Subject } from './subjects';

export interface LeftoversRequest {
  readonly journal: Journal;
  /** Also what is in no journal, and of runs whose process seems to be alive. */
  readonly isThorough: boolean;
  /** What cannot be deleted through Sluice may stay, and leaves the journal once it was reported. */
  readonly mayStay: boolean;
  readonly say: (line: string) => void;
}

/** Removes what earlier runs left in an account. @returns whether nothing of them is left, or nothing that may not stay */
export async function removeLeftovers(
  { connector, auth, subject }: Certified,
  { journal, isThorough, mayStay, say }: LeftoversRequest,
): Promise<boolean> {
  const { workspaceRef } = await connector.workspace({ auth });
  const noted = journal.unfinished(connector.provider, workspaceRef);
  const alive = isThorough ? [] : noted.filter(isAlive);
  for (const { run, pid } of alive) say(`the run ${run} is under way in process ${pid}: left alone`);
  const found = isThorough ? notJournalled(await findAll({ connector, auth, subject }, say), noted) : [];
  let isClean = true;
  for (const leftover of [...noted.filter((entry) => !alive.includes(entry)), ...found]) {
    const { left, stays } = await cleanUpAfter(leftover, workspaceRef, { connector, auth, subject, journal });
    say(`the run ${leftover.run} had not come to its end: ${sentenceOf(left, stays)}`);
    if (stays.length > 0 && mayStay) journal.remove(leftover.run);
    isClean &&= left.length === 0 && (stays.length === 0 || mayStay);
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

/** Of both objects; of the second one only where the token may read it. */
async function findAll({ connector, auth, subject }: Subjected, say: LeftoversRequest['say']): Promise<FoundRecord[]> {
  const own = (await findMarked(connector, auth, subject)) ?? [];
  if (!subject.linked) return own;
  const second = subject.linked.subject;
  try {
    return [...own, ...((await findMarked(connector, auth, second)) ?? [])];
  } catch (error) {
    if (!(error instanceof ProviderError) || error.class !== 'forbidden') throw error;
    say(`${second.objectName}: the token may not search for records that are left`);
    return own;
  }
}

type Subjected = Pick<Certified, 'connector' | 'auth' | 'subject'>;

/** Runs known only from their records: made on another machine, or with a lost journal. */
function notJournalled(found: readonly FoundRecord[], noted: readonly JournalEntry[]): Leftover[] {
  const unknown = found.filter(({ run }) => !noted.some((entry) => entry.run === run));
  return [...new Set(unknown.map(({ run }) => run))].map((run) => ({
    run,
    startedAt: new Date(0).toISOString(),
    records: unknown
      .filter((record) => record.run === run)
      .map(({ mark, objectName, id }) => ({ mark, objectName, id, sentAt: new Date(0).toISOString() })),
  }));
}

/** The form of a mark: see `newRunName`. */
const markForm = /^(sluice-certify-\d{8}-[0-9a-f]{6})-\d+(?:@example\.com)?$/;

/** A record that some run left, whether or not anybody noted it. */
interface FoundRecord {
  readonly run: string;
  readonly mark: string;
  readonly objectName: string;
  readonly id: string;
}

/**
 * Every record in the account that carries the mark of any run: of a run on another machine, or one whose journal is lost. One page,
 * because a run makes a dozen records at most.
 * @returns undefined where records cannot be found without knowing their mark
 */
async function findMarked(
  connector: Connector,
  auth: Auth,
  { objectName, constantField: field, markField, fields: fieldsOf }: Subject,
): Promise<FoundRecord[] | undefined> {
  const { search } = connector.capabilities;
  if (field === undefined || !connector.search || search === false) return undefined;
  const filters = [{ field, value: String(fieldsOf('')[field]) }];
  const found = await connector.search({ auth, objectName, filters, fields: [markField], limit: search.limit });
  return found.flatMap(({ id, fields }) => {
    const mark = String(fields[markField]).replace(/@example\.com$/, '');
    const run = markForm.exec(mark)?.[1];
    return run === undefined ? [] : [{ run, mark, objectName, id }];
  });
}
