import { associationChecks } from './checks/association-checks';
import { accountChecks, searchChecks } from './checks/read-checks';
import { batchChecks, singleChecks } from './checks/write-checks';
import type { Auth, Connector } from '@sluice/connectors';
import { cleanUp, type CleanUp, emptiness } from './clean-up';
import { Differs, explained, type Finding } from './finding';
import type { Journal, JournalEntry } from './journal';
import { patient } from './patient-connector';
import { type Subject, subjectNamed } from './subjects';
import { type Check, type Clock, machineClock, type MarkedRecord, type Trial } from './trial';

/** Every check but deletion, in the order in which they build on each other. */
const checks: readonly Check[] = [
  ...accountChecks,
  ...singleChecks,
  ...batchChecks,
  ...associationChecks,
  ...searchChecks,
];

export interface CertifyOptions {
  readonly connector: Connector;
  readonly auth: Auth;
  readonly subject: Subject;
  /** Names the run and marks its records: lower case letters, digits and hyphens. */
  readonly run: string;
  readonly journal: Journal;
  /** Nothing that is older is ours. @default now */
  readonly startedAt?: Date;
  /** @default the machine's */
  readonly clock?: Clock;
  /** Aborting stops the checks; the cleaning up follows all the same. */
  readonly signal?: AbortSignal;
  /** Called with the name of the next check. */
  readonly onStep?: (step: string) => void;
}

export interface CertifyReport extends CleanUp {
  readonly startedAt: Date;
  /** What the provider calls the account. */
  readonly workspaceRef: string;
  /** Lists that the account returned and that are too long for a row: title and items. */
  readonly shown: ReadonlyMap<string, readonly string[]>;
  /** Why the checks did not come to their end, and it was neither the account nor the token. */
  readonly interrupted?: unknown;
}

/**
 * Tries in a real account what we say of its provider, capability by capability, with records that carry a mark, and removes
 * them again, whatever happens in between.
 * @throws ProviderError when the account cannot be opened; nothing was written then
 */
export async function certify(options: CertifyOptions): Promise<CertifyReport> {
  const { signal, onStep, clock = machineClock } = options;
  onStep?.('opening the account');
  const { workspaceRef } = await patient(options.connector, clock).workspace({ auth: options.auth });
  const trial = trialOf(options, workspaceRef, []);
  const findings: Finding[] = [];
  let interrupted: unknown;
  try {
    for (const check of checks) {
      signal?.throwIfAborted();
      onStep?.(check.capability);
      findings.push(await tryOut(check, trial));
      if (isEnd(findings.at(-1))) break;
    }
  } catch (error) {
    interrupted = error;
  }
  onStep?.('cleaning up');
  const { signal: _, ...rest } = trial;
  const cleaned = await cleanUp(rest).catch((error: unknown) => notCleaned(trial, error));
  if (cleaned.left.length === 0) options.journal.remove(options.run);
  const { startedAt, shown } = trial;
  const report = { startedAt, workspaceRef, shown, ...cleaned, findings: [...findings, ...cleaned.findings] };
  return interrupted === undefined ? report : { ...report, interrupted };
}

/** Nothing more can be tried with this token, or in this hour; or there is no record to try it with. */
function isEnd({ hindrance, capability }: Partial<Finding> = {}): boolean {
  if (hindrance === 'credentials' || hindrance === 'quota') return true;
  return hindrance === 'forbidden' && (capability === 'create' || capability === 'scopes');
}

/** A run that did not come to its end, as far as it is known. */
export type Leftover = Pick<JournalEntry, 'run' | 'startedAt' | 'records'>;

/** Removes what an earlier run left in this account. */
export async function cleanUpAfter(
  { run, startedAt, records }: Leftover,
  workspaceRef: string,
  options: Omit<CertifyOptions, 'run'>,
): Promise<CleanUp> {
  const marked = records.map(({ objectName, ...record }) => {
    const subject = subjectNamed(options.subject, objectName);
    return { ...record, subject, sentAt: new Date(record.sentAt), fields: subject.fields(record.mark) };
  });
  const trial = trialOf({ ...options, run, startedAt: new Date(startedAt) }, workspaceRef, marked);
  const cleaned = await cleanUp(trial).catch((error: unknown) => notCleaned(trial, error));
  if (cleaned.left.length === 0 && cleaned.stays.length === 0) options.journal.remove(run);
  return cleaned;
}

/** The account could not be asked to the end. The journal stays, and the next run goes on from it. */
function notCleaned({ records, connector }: Trial, error: unknown): CleanUp {
  const { message, ...hindered } = withHindrance(explained(error));
  const finding: Finding = { ...emptiness, seen: `not proven: ${message}`, verdict: 'differs', ...hindered };
  const unproven = records.filter(({ isRefused }) => isRefused !== true).map(({ id, mark }) => id ?? mark);
  const [left, stays] = connector.delete ? [unproven, []] : [[], unproven];
  return { findings: [finding], left, stays };
}

function withHindrance(known: ReturnType<typeof explained>) {
  const hindrance = known instanceof Differs ? undefined : known.hindrance;
  return { message: known.message, ...(hindrance && { hindrance }) };
}

function trialOf(options: CertifyOptions, workspaceRef: string, records: MarkedRecord[]): Trial {
  const { connector, auth, subject, run, journal, signal, clock = machineClock } = options;
  const { startedAt = new Date(clock.nowMs()) } = options;
  const entry = (): JournalEntry => ({
    provider: connector.provider,
    run,
    workspaceRef,
    objectName: subject.objectName,
    startedAt: startedAt.toISOString(),
    pid: process.pid,
    records: records.map(({ mark, sentAt, id, isRefused, subject: { objectName } }) => ({
      mark,
      ...(objectName !== subject.objectName && { objectName }),
      sentAt: sentAt.toISOString(),
      ...(id !== undefined && { id }),
      ...(isRefused === true && { isRefused }),
    })),
  });
  const save = () => journal.write(entry());
  return {
    connector: patient(connector, clock),
    auth,
    subject,
    run,
    startedAt,
    records,
    shown: new Map(),
    clock,
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
    const { message: seen, ...hindered } = withHindrance(known);
    return { capability, claimed, seen, verdict: known instanceof Differs ? 'differs' : 'not tried', ...hindered };
  }
}
