import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ConformanceCase, connectorConformance } from '@sluice/connectors/conformance';
import { ProviderError } from '@sluice/errors';
import { Interrupted } from '@sluice/stack';
import { accountHarness } from './account-harness';
import { cleanUp } from './clean-up';
import { namesOf, openExchangeLog } from './exchange-log';
import { blockOf, type Finding, NotTried } from './finding';
import { type Journal, type JournalEntry, type MarkedRecord, openJournal } from './journal';
import { type AccountRequest, openAccount, type OpenedAccount } from './open-account';
import { blockedLine, renderReport } from './report';
import { watchConnector, type WatchedConnector } from './watched-connector';

export interface CertificationRequest extends AccountRequest {
  /** Where the log of the exchanges goes. @default a file of the folder, named for the run */
  readonly out?: string;
  /** Where the provider's records cannot be deleted through Sluice: they may stay. */
  readonly leave: boolean;
  /** Only removes what earlier runs left. */
  readonly cleanOnly: boolean;
  /** Keeps what is not proven to be removed, and logs. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called with the name of the next case. */
  readonly onStep: (step: string) => void;
}

/** The account cannot be opened with the given settings; the message names what is missing. */
export class NotCertifiable extends Error {
  override readonly name = 'NotCertifiable';
}

/** What the command ends with. After a signal: 128 and its number. */
export const exitCodes = { passed: 0, mismatchOrLeftovers: 1, usage: 2, blocked: 3 } as const;

/**
 * Certifies an account, after removing what earlier runs left in it.
 * @returns the exit code
 * @throws NotCertifiable before anything is sent
 */
export async function runCertification(request: CertificationRequest): Promise<number> {
  const { provider, cleanOnly, leave, folder, say } = request;
  const opened = await openAccount(request);
  if (typeof opened === 'string') throw new NotCertifiable(opened);
  try {
    if (!opened.connector.delete && !leave && !cleanOnly) {
      const why = `${provider}: records cannot be deleted through Sluice. With --leave a few stay in the account.`;
      throw new NotCertifiable(why);
    }
    const journal = openJournal(join(folder, 'unfinished'));
    const isClean = await removeLeftovers(opened, { journal, isThorough: cleanOnly, mayStay: leave, say });
    if (!cleanOnly) return await certify(request, opened);
    if (isClean) say('nothing of an earlier run is left');
    return isClean ? exitCodes.passed : exitCodes.mismatchOrLeftovers;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const block = blockOf(error.class) ?? 'rejected';
    say(blockedLine({ provider, tokenName: opened.tokenName, block, said: error.detail }));
    return exitCodes.blocked;
  } finally {
    await opened.close();
  }
}

/** Runs the conformance suite with records that carry the mark of the run, and removes them again, whatever happens in between. */
async function certify(request: CertificationRequest, opened: OpenedAccount): Promise<number> {
  const { provider, folder, leave, say, onStep, signal } = request;
  const { connector, auth, fixture, location, file, tokenName } = opened;
  const run = newRunName(new Date());
  say(`run ${run}, at ${location.address}`);
  const path = request.out ?? join(folder, `${run}.log.jsonl`);
  const source = location.sandbox === undefined ? 'account' : 'sandbox';
  const log = openExchangeLog(path, { provider, run, source }, namesOf(fixture, file));
  opened.tapTo(log.tap);
  const { workspaceRef = '' } = await connector.workspace({ auth });
  const journal = openJournal(join(folder, 'unfinished'));
  const records: MarkedRecord[] = [];
  const save = () => journal.write({ provider, run, workspaceRef, pid: process.pid, records });
  const watched = watchConnector(connector, { auth, fixture, run, records, save, signal });
  const harness = accountHarness({ connector: watched.connector, auth, fixture }, run);
  const step = (name: string) => {
    log.step(name);
    onStep(name);
  };
  const findings = await tryAll(connectorConformance(harness), watched, { signal, step });
  step('cleaning up');
  const cleaned = await cleanUp({ connector, auth, fixture }, records);
  const { left, stays } = cleaned;
  if (left.length === 0 && (stays.length === 0 || leave)) journal.remove(run);
  findings.push(...cleaned.findings);
  say(`\n${renderReport({ findings, left, stays, isInterrupted: signal.aborted }, auth.accessToken)}`);
  const { block, detail: said = '' } = findings.find((finding) => finding.block !== undefined) ?? {};
  if (block) say(blockedLine({ provider, tokenName, block, said }));
  say(`${log.end(findings)} exchanges, without their values: ${path}`);
  if (signal.reason instanceof Interrupted) return signal.reason.exitCode;
  if (left.length > 0 || findings.some(({ verdict }) => verdict === 'differs')) return exitCodes.mismatchOrLeftovers;
  return block ? exitCodes.blocked : exitCodes.passed;
}

interface Steps {
  readonly signal: AbortSignal;
  readonly step: (name: string) => void;
}

/** Case by case, until one shows that nothing more can be tried with this token, or in this hour. */
async function tryAll(
  cases: readonly ConformanceCase[],
  watched: WatchedConnector,
  { signal, step }: Steps,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of cases) {
    if (signal.aborted) break;
    step(name);
    watched.takeFailure();
    try {
      await run();
      findings.push({ name, verdict: 'ok' });
    } catch (error) {
      if (signal.aborted) break;
      const failure = watched.takeFailure();
      const finding = findingOf(name, error, failure);
      findings.push(finding);
      const isEnd = finding.block === 'credentials' || finding.block === 'quota' || finding.block === 'forbidden';
      if (isEnd) break;
    }
  }
  return findings;
}

/** What a failed case proves: that a promise is not kept, or only that it could not be tried. */
function findingOf(name: string, error: unknown, failure: ReturnType<WatchedConnector['takeFailure']>): Finding {
  if (error instanceof NotTried) return { name, verdict: 'not tried', detail: error.message };
  const detail = failure ? `${failure.class}: ${failure.message}` : String(error);
  const block = failure && blockOf(failure.class);
  if (!block) return { name, verdict: 'differs', detail };
  // A token that may not write what records are linked to, or search by it, can be certified for the rest.
  const isOfRest = block === 'forbidden' && !failure.isOfCreate;
  return { name, verdict: 'not tried', detail, ...(!isOfRest && { block }) };
}

/** A unique name that shows people what the records are and when they were made: `sluice-certify-20261121-9f3a1c`. */
function newRunName(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `sluice-certify-${day}-${randomBytes(3).toString('hex')}`;
}

interface LeftoversRequest {
  readonly journal: Journal;
  /** Also of runs whose process seems to be alive. */
  readonly isThorough: boolean;
  /** What cannot be deleted through Sluice may stay, and leaves the journal once it was reported. */
  readonly mayStay: boolean;
  readonly say: (line: string) => void;
}

/** Removes what earlier runs left in an account. @returns whether nothing of them is left, or nothing that may not stay */
async function removeLeftovers(
  { connector, auth, fixture }: OpenedAccount,
  { journal, isThorough, mayStay, say }: LeftoversRequest,
): Promise<boolean> {
  const { workspaceRef = '' } = await connector.workspace({ auth });
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
