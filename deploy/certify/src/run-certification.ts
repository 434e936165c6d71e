import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProviderError } from '@sluice/errors';
import { Interrupted } from '@sluice/stack';
import { certify, type CertifyReport } from './certify';
import { type Finding, hindranceOf } from './finding';
import { openJournal } from './journal';
import { removeLeftovers } from './leftovers';
import { type Certified, openCertified } from './open-certified';
import type { Recording } from './recording';
import { replayRecording } from './replay';
import { hindered, hindranceLine, renderAnswers, renderReport } from './report';
import { type RawRecording, scrub, type ScrubOptions } from './scrub/scrub';
import type { SubjectWords } from './subjects';

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
  /** What is written at a provider of `providersDir`. */
  readonly words: SubjectWords;
  /** Folder of provider files beside the shipped ones. @default none */
  readonly providersDir: string | undefined;
  /** Holds the credentials. */
  readonly env: NodeJS.ProcessEnv;
  /** Keeps what is not proven to be removed, and recordings. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called with the name of the next check. */
  readonly onStep?: (step: string) => void;
}

/** The account cannot be opened with the given settings; the message names what is missing. */
export class NotCertifiable extends Error {
  override readonly name = 'NotCertifiable';
}

/** What the command ends with. After a signal: 128 and its number. */
export const exitCodes = { asWeSay: 0, differsOrLeft: 1, misused: 2, hindered: 3 } as const;

/**
 * Certifies an account, after removing what earlier runs left in it.
 * @returns the exit code
 * @throws NotCertifiable before anything is sent
 */
export async function runCertification(request: CertificationRequest): Promise<number> {
  const { provider, url, env, providersDir, words, say } = request;
  const opened = await openCertified({ provider, url, env, providersDir, words });
  if (typeof opened === 'string') throw new NotCertifiable(opened);
  try {
    if (!opened.connector.delete && request.leave !== true && request.cleanOnly !== true) {
      const why = `${provider}: records cannot be deleted through Sluice. With --leave one stays in the account.`;
      throw new NotCertifiable(why);
    }
    const isClean = await clean(request, opened);
    if (request.cleanOnly !== true) return exitCodeOf(await perform(request, opened));
    if (isClean) say('nothing of an earlier run is left');
    return isClean ? exitCodes.asWeSay : exitCodes.differsOrLeft;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const hindrance = hindranceOf(error.class) ?? 'rejected';
    say(hindranceLine({ provider, tokenName: opened.tokenName, hindrance, said: error.detail }));
    return exitCodes.hindered;
  } finally {
    await opened.close();
  }
}

const journalOf = ({ folder }: CertificationRequest) => openJournal(join(folder, 'unfinished'));

function clean(request: CertificationRequest, opened: Certified): Promise<boolean> {
  const { cleanOnly: isThorough = false, leave: mayStay = false, say } = request;
  return removeLeftovers(opened, { journal: journalOf(request), isThorough, mayStay, say });
}

async function perform(request: CertificationRequest, opened: Certified): Promise<CertifyReport> {
  const { say, signal, onStep, provider } = request;
  const { connector, auth, subject, recorder, location, tokenName } = opened;
  const run = newRunName(new Date());
  say(`run ${run}, at ${location.address}`);
  const step = (name: string): void => {
    recorder.step(name);
    onStep?.(name);
  };
  const report = await certify({ connector, auth, subject, run, journal: journalOf(request), signal, onStep: step });
  say(`\n${renderReport(report)}`);
  say(`\n${renderAnswers(report, recorder.exchanges, auth.accessToken)}`);
  const first = hindered(report.findings);
  if (first) say(hindranceLine({ provider, tokenName, hindrance: first.hindrance, said: first.seen }));
  if (report.interrupted === undefined) await record(request, opened, { run, report });
  return report;
}

interface Ended {
  readonly run: string;
  readonly report: CertifyReport;
}

async function record(request: CertificationRequest, opened: Certified, { run, report }: Ended): Promise<void> {
  const { keepIds = false, folder, words, providersDir, say } = request;
  const { auth, subject, recorder, location, file, connector } = opened;
  const { exchanges } = recorder;
  const path = request.out ?? join(folder, `${run}.recording.json`);
  const raw = {
    format: 1,
    startedAt: report.startedAt.toISOString(),
    workspaceRef: report.workspaceRef,
    provider: connector.provider,
    source: location.sandbox === undefined ? 'account' : 'sandbox',
    run,
    accessToken: auth.accessToken,
    ...(Object.keys(words).length > 0 && { words }),
    exchanges,
  } as const;
  const other = await saveRecording(raw, { keepIds, subject, file, path, findings: report.findings, providersDir });
  const [first, ...more] = other;
  const replays =
    first === undefined ? 'replays to the same findings' : `DOES NOT REPLAY: ${first}, and ${more.length} more`;
  say(`\n${exchanges.length} exchanges, scrubbed, ${replays}: ${path}`);
}

function exitCodeOf({ findings, left, interrupted }: CertifyReport): number {
  if (interrupted instanceof Interrupted) return interrupted.exitCode;
  if (interrupted !== undefined) throw interrupted;
  if (left.length > 0 || findings.some(({ verdict }) => verdict === 'differs')) return exitCodes.differsOrLeft;
  return hindered(findings) ? exitCodes.hindered : exitCodes.asWeSay;
}

/** A unique name that shows people what the records are and when they were made: `sluice-certify-20261121-9f3a1c`. */
function newRunName(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `sluice-certify-${day}-${randomBytes(3).toString('hex')}`;
}

interface Saving extends ScrubOptions {
  /** Where to. */
  readonly path: string;
  /** What the live run concluded. */
  readonly findings: readonly Finding[];
  readonly providersDir: string | undefined;
}

/**
 * Writes what a run showed, scrubbed, with what a replay of it concludes: so nothing of the account comes in by what was concluded,
 * and the recording is known to work as a test. The file appears whole or not at all.
 * @returns the capabilities of which the replay does not conclude the same: the recording is no test for them
 */
async function saveRecording(raw: RawRecording, saving: Saving): Promise<readonly string[]> {
  const { path, findings: live, providersDir, ...options } = saving;
  const scrubbed = scrub(raw, options);
  const { findings, unmatched, unused } = await replayRecording(scrubbed, providersDir);
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, render({ ...scrubbed, findings }), { mode: 0o600 });
  renameSync(fresh, path);
  const other = live.filter(
    ({ capability, verdict }) => findings.find((one) => one.capability === capability)?.verdict !== verdict,
  );
  return [...other.map(({ capability }) => capability), ...unmatched, ...unused];
}

/** An exchange per line, so that two recordings can be compared. */
function render({ exchanges, ...head }: Recording): string {
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "exchanges": [\n${lines}\n  ]\n}\n`;
}
