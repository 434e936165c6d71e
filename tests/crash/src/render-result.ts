import type { ClientLedger } from '../../faults/harness/client-ledger';
import { invariants, type Verdict } from '../../faults/harness/verdict';
import type { Deletion } from './delete-pods';
import { wordOf } from './render-failures';

export interface CrashTestResult {
  readonly verdict: Verdict;
  readonly ledger: Pick<ClientLedger, 'statuses' | 'startedAtMs' | 'endedAtMs'>;
  /** How many pods were to be deleted. */
  readonly wanted: number;
  readonly deletions: readonly Deletion[];
  /** What `renderFailures` gives; printed where no request may fail. @default nothing */
  readonly failures?: readonly string[];
}

/** What is printed in the end, and whether everything held. */
export interface RenderedResult {
  readonly lines: readonly string[];
  readonly isHeld: boolean;
}

/** The first line is the result in one sentence, the last one everything that was counted, as JSON. */
export function renderResult({ verdict, ledger, wanted, deletions, failures = [] }: CrashTestResult): RenderedResult {
  const { examples, ...counts } = verdict;
  const broken = findBroken({ verdict, ledger, wanted, deletions });
  const [overdue, all] = [verdict.overdueMs, verdict.recoveryMs].map((ms) => (ms / 1_000).toFixed(1));
  const span = {
    startedAt: new Date(ledger.startedAtMs).toISOString(),
    endedAt: new Date(ledger.endedAtMs).toISOString(),
  };
  return {
    isHeld: broken.length === 0,
    lines: [
      `${verdict.accepted} accepted, ${verdict.lost} lost, ${verdict.duplicates} duplicate, recovery ${overdue} s (${all} s with what open batches had to wait)`,
      `pods deleted: ${deletions.length}${listed(deletions.map(({ service }) => service))}`,
      `requests: ${renderStatuses(ledger.statuses)}`,
      ...broken.map((sentence) => `BROKEN: ${sentence}`),
      ...(broken.length > 0 ? [...examples, ...failures] : []),
      JSON.stringify({ ...counts, ...span }),
    ],
  };
}

function findBroken({ verdict, ledger, wanted, deletions }: CrashTestResult): string[] {
  const broken = invariants.filter((name) => verdict[name] > 0).map((name) => `${name}: ${verdict[name]}, must be 0`);
  if (verdict.accepted === 0) broken.push('nothing was accepted, so nothing was tested');
  if (deletions.length < wanted) broken.push(`only ${deletions.length} of ${wanted} pods were deleted`);
  const failed = [...ledger.statuses].filter(([status]) => status !== 200).reduce((sum, [, count]) => sum + count, 0);
  if (wanted === 0 && failed > 0) broken.push(`${failed} requests failed although no pod was deleted`);
  return broken;
}

function renderStatuses(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${wordOf(status)} ${count}x`).join(', ');
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return '';
  const counts = Map.groupBy(names, (name) => name);
  return ` (${[...counts].map(([name, all]) => `${name} ${all.length}`).join(', ')})`;
}
