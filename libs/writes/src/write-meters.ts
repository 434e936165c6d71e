import type { ProviderFailure } from '@sluice/connectors';
import { failureClasses, retryOf, type FailureClass } from '@sluice/errors';
import type { RecordSettlement } from '@sluice/store';
import type { FigureName, FiguresOf, Metrics } from '@sluice/telemetry';

/** An ended attempt, as far as it is known. */
export interface SettledOf {
  readonly projectId: string;
  /** @default 'unknown': it ended before its connection was read */
  readonly provider?: string | undefined;
  /** The records could have been tried again: one that failed missed its deadline. */
  readonly isRetried: boolean;
}

/** A call to a provider that was made, as far as it is counted. */
export interface CalledOf {
  readonly results: readonly ({ readonly ok: true } | { readonly ok: false; readonly error: ProviderFailure })[];
  /** Requests that were made; 0 counts nothing. */
  readonly calls: number;
  /** Absent: nothing was written. */
  readonly attempt?: { readonly durationMs: number } | undefined;
  /** The account was blocked for so long. 0: it was not. */
  readonly blockedMs: number;
}

/** A write that was accepted. */
interface AcceptedOf {
  readonly operation: { readonly projectId: string };
  readonly connector: { readonly provider: string };
}

type Mode = 'synchronous' | 'asynchronous' | 'auto-batched';

/** What the services that accept and settle writes count, under the same names, and by project. */
export interface WriteMeters {
  /** Counts records that were accepted by a statement that took so many milliseconds. */
  accepting(mode: Mode): (write: AcceptedOf, records: number, durationMs: number) => void;
  /** Records of a settlement that was stored. */
  settled(records: readonly RecordSettlement[], of: SettledOf): void;
  called(of: FiguresOf, call: CalledOf): void;
}

/** @param providers every provider of this build: their counters start at 0 */
export function createWriteMeters(metrics: Metrics, providers: readonly string[]): WriteMeters {
  const { byProject } = metrics;
  const settled = metrics.counter('sluice_records_settled_total');
  const misses = metrics.counter('sluice_deadline_misses_total');
  const blocked = metrics.counter('sluice_lane_blocked_seconds_total');
  for (const provider of [...providers, 'unknown']) misses.inc({ provider }, 0);
  return {
    accepting: (mode) => {
      const accepted = metrics.counter('sluice_writes_accepted_total').labels({ mode });
      const took = metrics.histogram('sluice_accept_duration_seconds').labels({ mode });
      return ({ operation: { projectId }, connector: { provider } }, records, durationMs) => {
        const of = { projectId, provider };
        accepted.inc(records);
        took.observe(durationMs / 1_000);
        byProject.count(of, 'accepted', records);
        byProject.observe(of, 'accept', durationMs / 1_000);
      };
    },
    settled: (records, { projectId, provider = 'unknown', isRetried }) => {
      for (const record of records) {
        byProject.count({ projectId, provider }, figureOf[record.kind], 1);
        const failure = 'error' in record ? record.error?.class : undefined;
        settled.inc({ provider, outcome: record.kind, class: failure ?? 'none' });
        if (isRetried && isDeadlineMiss(record)) misses.inc({ provider });
      }
    },
    called: (of, { results, calls, attempt, blockedMs }) => {
      if (calls === 0) return;
      // What concerns a record alone is its failure, and no error of the provider or of the account.
      if (results.some((result) => !result.ok && result.error.scope !== 'record'))
        byProject.count(of, 'providerErrors', 1);
      if (attempt !== undefined) byProject.observe(of, 'providerCall', attempt.durationMs / 1_000);
      if (blockedMs <= 0) return;
      blocked.inc({ provider: of.provider }, blockedMs / 1_000);
      byProject.count(of, 'blocks', 1);
      byProject.count(of, 'blockedMs', blockedMs);
    },
  };
}

const figureOf: Readonly<Record<RecordSettlement['kind'], FigureName>> = {
  succeeded: 'written',
  failed: 'failed',
  unknown: 'unknown',
  again: 'retried',
};

const classes: ReadonlySet<string> = new Set(failureClasses);

/** A failure that is worth another try ends a record only when there is no time for one. */
function isDeadlineMiss(record: RecordSettlement): boolean {
  if (record.kind !== 'failed' && record.kind !== 'unknown') return false;
  const { class: failure } = record.error;
  return failure === 'deadline' || (classes.has(failure) && retryOf(failure as FailureClass) === 'backoff');
}
