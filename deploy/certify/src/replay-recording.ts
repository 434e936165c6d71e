import { createConnectors } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { certify } from './certify';
import { createReplayClock } from './clock';
import type { Finding } from './finding';
import type { Journal } from './journal';
import { urlsOf } from './open-certified';
import { startReplay } from './replay';
import type { RawRecording } from './scrub/scrub';
import { subjectIn } from './subject-in';

/** What a recording gives when it is answered from again. */
export interface Replayed {
  readonly findings: readonly Finding[];
  /** Requests that the recording does not have: the connector asks something else than it did. */
  readonly strays: readonly string[];
  /** Recorded exchanges that were not asked for. */
  readonly unused: readonly string[];
}

/** Nothing is written at a replay, so nothing has to be found again. */
const noJournal: Journal = { write: () => undefined, remove: () => undefined, unfinished: () => [] };

/**
 * Runs the checks of a certification against its recorded replies, without an account and without waiting.
 * @param providersDir folder with the provider's file, where that does not come along
 */
export async function replayRecording(recording: RawRecording, providersDir?: string): Promise<Replayed> {
  const { provider, run, workspaceRef, accessToken } = recording;
  const { subject } = subjectIn(recording, providersDir);
  const replay = await startReplay(recording);
  const connectors = createConnectors({
    urls: { ...urlsOf(replay.url), declared: replay.url },
    providersDir,
    callTimeoutMs: 30_000,
    logger: silentLogger,
    metrics: createMetrics('replay'),
  });
  try {
    const auth = { accessToken, workspaceRef, kind: subject.access ?? 'oauth2' };
    const startedAt = new Date(recording.startedAt);
    const connector = connectors.get(provider);
    const clock = createReplayClock();
    const { findings } = await certify({ connector, auth, subject, run, startedAt, journal: noJournal, clock });
    return { findings, strays: replay.strays, unused: replay.unused() };
  } finally {
    await connectors.close();
    await replay.close();
  }
}
