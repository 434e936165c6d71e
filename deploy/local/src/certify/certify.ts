import type { Auth, Connector } from '@sluice/connectors';
import { checks } from './checks';
import type { Check } from './checks/check';
import { cleanUp, emptiness, type CleanUp } from './clean-up';
import { Differs, explained, type Finding } from './finding';
import type { Journal, JournalEntry } from './journal';
import { patient } from './patient-connector';
import type { Subject } from './subjects';
import type { MarkedRecord, Trial } from './trial';

export interface CertifyOptions {
  readonly connector: Connector;
  readonly auth: Auth;
  readonly subject: Subject;
  /** Names the run and marks its records: lower case letters, digits and hyphens. */
  readonly run: string;
  readonly journal: Journal;
  /** Nothing that is older is ours. @default now */
  readonly startedAt?: Date;
  /** Waits between two looks at what lags, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /** Aborting stops the checks; the cleaning up follows all the same. */
  readonly signal?: AbortSignal;
  /** Told what is tried next. */
  readonly onStep?: (step: string) => void;
}

export interface CertifyReport {
  readonly startedAt: Date;
  /** What the provider calls the account. */
  readonly workspaceRef: string;
  readonly findings: readonly Finding[];
  /** What may be left in the account; empty: proven that nothing is. */
  readonly left: readonly string[];
  /** Why the checks did not come to their end. */
  readonly interrupted?: unknown;
}

const pollMsUsual = 1_000;

/**
 * Tries in a real account what we say of its provider, capability by capability, with records that carry a mark, and removes
 * them again, whatever happens in between.
 * @throws ProviderError when the account cannot be opened; nothing was written then
 */
export async function certify(options: CertifyOptions): Promise<CertifyReport> {
  const { connector, auth, signal, onStep } = options;
  onStep?.('opening the account');
  const { workspaceRef } = await connector.workspace({ auth });
  const trial = trialOf(options, workspaceRef, []);
  const findings: Finding[] = [];
  let interrupted: unknown;
  try {
    for (const check of checks) {
      signal?.throwIfAborted();
      onStep?.(check.capability);
      findings.push(await tryOut(check, trial));
    }
  } catch (error) {
    interrupted = error;
  }
  onStep?.('cleaning up');
  const { signal: _, ...rest } = trial;
  const { left, findings: last } = await cleanUp(rest).catch((error: unknown) => notCleaned(trial, error));
  if (left.length === 0) options.journal.remove(options.run);
  const report = { startedAt: trial.startedAt, workspaceRef, findings: [...findings, ...last], left };
  return interrupted === undefined ? report : { ...report, interrupted };
}

/**
 * Removes what an earlier run left in this account.
 * @returns the runs, with what is left of each now
 */
export async function resumeCleanUp(
  options: Omit<CertifyOptions, 'run'>,
): Promise<{ run: string; left: readonly string[] }[]> {
  const { workspaceRef } = await options.connector.workspace({ auth: options.auth });
  const done = [];
  for (const entry of options.journal.unfinished(options.connector.provider, workspaceRef)) {
    const { run, records } = entry;
    const fields = (mark: string) => options.subject.fields(mark);
    const trial = trialOf(
      { ...options, run },
      workspaceRef,
      records.map((record) => ({ ...record, sentAt: new Date(record.sentAt), fields: fields(record.mark) })),
    );
    const { left } = await cleanUp(trial);
    if (left.length === 0) options.journal.remove(run);
    done.push({ run, left });
  }
  return done;
}

/** The account could not be asked to the end. The journal stays, and the next run goes on from it. */
function notCleaned({ records }: Trial, error: unknown): CleanUp {
  const finding: Finding = { ...emptiness, seen: `not proven: ${explained(error).message}`, verdict: 'differs' };
  return { findings: [finding], left: records.map(({ id, mark }) => id ?? mark) };
}

function trialOf(options: CertifyOptions, workspaceRef: string, records: MarkedRecord[]): Trial {
  const { connector, auth, subject, run, journal, signal, pollMs = pollMsUsual } = options;
  const { startedAt = new Date() } = options;
  const entry = (): JournalEntry => ({
    provider: connector.provider,
    run,
    workspaceRef,
    objectName: subject.objectName,
    startedAt: startedAt.toISOString(),
    records: records.map(({ mark, sentAt, id, isRefused }) => ({
      mark,
      sentAt: sentAt.toISOString(),
      ...(id !== undefined && { id }),
      ...(isRefused === true && { isRefused }),
    })),
  });
  const save = () => journal.write(entry());
  return {
    connector: patient(connector),
    auth,
    subject,
    run,
    startedAt,
    records,
    pollMs,
    save,
    ...(signal && { signal }),
  };
}

async function tryOut({ capability, claimed: claimOf, run }: Check, trial: Trial): Promise<Finding> {
  const claimed = claimOf(trial.connector, trial);
  if (claimed === undefined) return { capability, claimed: 'not offered', seen: '', verdict: 'not tried' };
  try {
    return { capability, claimed, seen: await run(trial), verdict: 'ok' };
  } catch (error) {
    trial.signal?.throwIfAborted();
    const known = explained(error);
    return { capability, claimed, seen: known.message, verdict: known instanceof Differs ? 'differs' : 'not tried' };
  }
}
