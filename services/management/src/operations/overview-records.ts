import type { OpenRecords, StoredOverview, StoredRecords } from '@sluice/store';
import type { FigureName } from '@sluice/telemetry';
import type { OverviewRecords } from '@sluice/types';

/** Who counts a figure. What was counted is shown in any case; 0 only where one of them was alive. */
export const counters = {
  accepted: ['write-gateway'],
  written: ['executor', 'write-gateway'],
  failed: ['executor', 'write-gateway'],
  unknown: ['executor', 'write-gateway'],
  retried: ['executor'],
} as const satisfies Partial<Record<FigureName, readonly string[]>>;

/**
 * The records of a span, which add up. The two sources meet in what is left over: more ended or open than was accepted is `earlier`, less is
 * `uncounted`. Neither is given while not all that is open was read, or while nobody could have counted what was accepted or how it ended.
 */
export function recordsOf(
  { records, services }: Pick<StoredOverview, 'records' | 'services'>,
  open: OpenRecords,
): OverviewRecords {
  const alive = new Set(services.map(({ service }) => service));
  const known = Object.entries(records).filter(
    ([name, sum]) => sum > 0 || counters[name as keyof StoredRecords].some((service) => alive.has(service)),
  );
  const counted: Partial<StoredRecords> = Object.fromEntries(known);
  const { accepted, written, failed = 0, unknown = 0 } = counted;
  if (accepted === undefined || written === undefined || open.isMore) return { ...counted, ...open };
  const left = accepted - written - failed - unknown - open.waiting - open.filling - open.held;
  return { ...counted, ...open, earlier: Math.max(0, -left), uncounted: Math.max(0, left) };
}

/** Share of the written ones among those that ended, under this name. Absent: none ended. */
export function rateOf<Name extends string>(
  name: Name,
  { written, failed, unknown }: StoredRecords,
): Partial<Record<Name, number>> {
  const ended = written + failed + unknown;
  return ended === 0 ? {} : ({ [name]: written / ended } as Record<Name, number>);
}
