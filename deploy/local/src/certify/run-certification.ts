import { join } from 'node:path';
import { Interrupted } from '../stop-signal';
import { certify, resumeCleanUp, type CertifyReport } from './certify';
import { openJournal } from './journal';
import { openCertified, type Certified } from './open-certified';
import { renderReport } from './render-report';
import { newRunName } from './run-name';
import { saveRecording } from './save-recording';

export interface CertificationRequest {
  readonly provider: string;
  /** Address of a sandbox; absent: the provider's own. */
  readonly url?: string;
  /** Where the recording goes. @default a file of the folder, named for the run */
  readonly out?: string;
  /** The recording keeps ids. @default false */
  readonly keepIds?: boolean;
  /** Where the provider's records cannot be deleted through Sluice: they may stay. @default false */
  readonly leave?: boolean;
  /** Only removes what earlier runs left. @default false */
  readonly cleanOnly?: boolean;
  /** Holds the credentials. */
  readonly env: NodeJS.ProcessEnv;
  /** Keeps what is not proven to be removed, and recordings. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Told what is tried next. */
  readonly onStep?: (step: string) => void;
}

/** The account cannot be opened with what was given; the message says what is missing. */
export class NotCertifiable extends Error {
  override readonly name = 'NotCertifiable';
}

/**
 * Certifies an account, after removing what earlier runs left in it.
 * @returns the exit code: 0 all as we say, 1 something differs or is left, 128 and the signal's number when it was stopped
 * @throws NotCertifiable, ProviderError when the account does not open
 */
export async function runCertification(request: CertificationRequest): Promise<number> {
  const { provider, url, env } = request;
  const opened = openCertified({ provider, url, env });
  if (typeof opened === 'string') throw new NotCertifiable(opened);
  if (!opened.connector.delete && request.leave !== true) {
    await opened.close();
    throw new NotCertifiable(
      `${provider}: records cannot be deleted through Sluice. With --leave they stay in the account.`,
    );
  }
  try {
    const isClean = await removeLeftovers(request, opened);
    if (request.cleanOnly === true) return isClean ? 0 : 1;
    return exitCodeOf(await perform(request, opened));
  } finally {
    await opened.close();
  }
}

const journalOf = ({ folder }: CertificationRequest) => openJournal(join(folder, 'unfinished'));

async function removeLeftovers(
  request: CertificationRequest,
  { connector, auth, subject }: Certified,
): Promise<boolean> {
  const done = await resumeCleanUp({ connector, auth, subject, journal: journalOf(request) });
  for (const { run, left } of done) {
    const now = left.length === 0 ? 'what it left is removed' : `still left: ${left.join(', ')}`;
    request.say(`the run ${run} had not come to its end: ${now}`);
  }
  return done.every(({ left }) => left.length === 0);
}

async function perform(request: CertificationRequest, opened: Certified): Promise<CertifyReport> {
  const { url, say, signal, onStep, folder } = request;
  const { connector, auth, subject, recorder } = opened;
  const run = newRunName(new Date());
  say(`run ${run}, at ${url ?? `the real ${connector.provider}`}`);
  const step = (name: string): void => {
    recorder.step(name);
    onStep?.(name);
  };
  const report = await certify({ connector, auth, subject, run, journal: journalOf(request), signal, onStep: step });
  const file = request.out ?? join(folder, `${run}.recording.json`);
  record(request, opened, { run, report, file });
  say(`\n${renderReport(report)}\n\n${recorder.exchanges.length} exchanges, scrubbed: ${file}`);
  return report;
}

function record(
  { keepIds = false, url }: CertificationRequest,
  { connector, auth: { accessToken }, subject, recorder }: Certified,
  { run, report, file }: { readonly run: string; readonly report: CertifyReport; readonly file: string },
): void {
  const source = url === undefined ? 'account' : 'sandbox';
  const { exchanges } = recorder;
  const parts = { provider: connector.provider, source, run, report, exchanges, accessToken } as const;
  const fields = Object.keys(subject.fields(''));
  saveRecording(file, parts, { keepIds, publicIds: [subject.absentId], fields });
}

function exitCodeOf({ findings, left, interrupted }: CertifyReport): number {
  if (interrupted instanceof Interrupted) return interrupted.exitCode;
  if (interrupted !== undefined) throw interrupted;
  return left.length > 0 || findings.some(({ verdict }) => verdict === 'differs') ? 1 : 0;
}
