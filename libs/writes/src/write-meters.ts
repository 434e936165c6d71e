import type { ProviderFailure } from '@sluice/connectors';
import { failureClasses, retryOf, type FailureClass } from '@sluice/errors';
import type { OperationMode, RecordSettlement } from '@sluice/store';
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
  readonly mode: OperationMode;
  readonly projectId: string;
  readonly provider: string;
  readonly records: number;
  /** Of its commit, with the wait for others to share the statement. */
  readonly durationMs: number;
}

/** What a service counts that accepts writes, by mode and by project. */
export interface AcceptMeters {
  accepted(of: AcceptedOf): void;
}

/** What the services that settle writes count, under the same names, and by project. */
export interface WriteMeters {
  /** Records of a settlement that was stored. */
  settled(records: readonly RecordSettlement[], of: SettledOf): void;
  called(of: FiguresOf, call: CalledOf): void;
}

export function createAcceptMeters(metrics: Metrics): AcceptMeters {
  const { byProject } = metrics;
  const [accepted, took] = [
    metrics.counter('sluice_writes_accepted_total'),
    metrics.histogram('sluice_accept_duration_seconds'),
  ];
  const series = (mode: OperationMode) => ({ accepted: accepted.labels({ mode }), took: took.labels({ mode }) });
  const seriesBy = {
    synchronous: series('synchronous'),
    asynchronous: series('asynchronous'),
    'auto-batched': series('auto-batched'),
  };
  return {
    accepted: ({ mode, projectId, provider, records, durationMs }) => {
      seriesBy[mode].accepted.inc(records);
      seriesBy[mode].took.observe(durationMs / 1_000);
      byProject.count({ projectId, provider }, 'accepted', records);
      byProject.observe({ projectId, provider }, 'accept', durationMs / 1_000);
    },
  };
}

/** @param providers every provider of this build: their counters start at 0 */
export function createWriteMeters(metrics: Metrics, providers: readonly string[]): WriteMeters {
  const { byProject } = metrics;
  const settled = metrics.counter('sluice_records_settled_total');
  const misses = metrics.counter('sluice_deadline_misses_total');
  const blocked = metrics.counter('sluice_lane_blocked_seconds_total');
  for (const provider of [...providers, 'unknown']) misses.inc({ provider }, 0);
  return {
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
