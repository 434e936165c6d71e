import { failureClasses, retryOf, type FailureClass } from '@sluice/errors';
import type { RecordSettlement } from '@sluice/store';
import type { Metrics } from '@sluice/telemetry';

/** An ended attempt, as far as it is known. */
export interface SettledOf {
  /** @default 'unknown': it ended before its connection was read */
  readonly provider?: string | undefined;
  /** The records could have been tried again: one that failed missed its deadline. */
  readonly isRetried: boolean;
}

/** What both services that settle writes count, under the same names. */
export interface WriteMeters {
  /** Records of a settlement that was stored. */
  settled(records: readonly RecordSettlement[], of: SettledOf): void;
  /** An account was blocked for so long. 0 counts nothing. */
  blocked(provider: string, blockedMs: number): void;
}

/** @param providers every provider of this build: their counters start at 0 */
export function createWriteMeters(metrics: Metrics, providers: readonly string[]): WriteMeters {
  const settled = metrics.counter('sluice_records_settled_total');
  const misses = metrics.counter('sluice_deadline_misses_total');
  const blocked = metrics.counter('sluice_lane_blocked_seconds_total');
  for (const provider of [...providers, 'unknown']) misses.inc({ provider }, 0);
  return {
    settled: (records, { provider = 'unknown', isRetried }) => {
      for (const record of records) {
        const failure = 'error' in record ? record.error?.class : undefined;
        settled.inc({ provider, outcome: record.kind, class: failure ?? 'none' });
        if (isRetried && isDeadlineMiss(record)) misses.inc({ provider });
      }
    },
    blocked: (provider, blockedMs) => {
      if (blockedMs > 0) blocked.inc({ provider }, blockedMs / 1_000);
    },
  };
}

const classes: ReadonlySet<string> = new Set(failureClasses);

/** A failure that is worth another try ends a record only when there is no time for one. */
function isDeadlineMiss(record: RecordSettlement): boolean {
  if (record.kind !== 'failed' && record.kind !== 'unknown') return false;
  const { class: failure } = record.error;
  return failure === 'deadline' || (classes.has(failure) && retryOf(failure as FailureClass) === 'backoff');
}
