import type { CertifyReport } from './certify';
import type { Finding } from './finding';

const columns = ['capability', 'we say', 'the account showed', 'verdict'] as const;
/** Wider cells are cut; the recording has them whole. What a person has to do is not cut. */
const cellMax = 60;

/** The report as a table for people. */
export function renderReport({ findings, left, stays, interrupted }: CertifyReport): string {
  const rows = [columns, ...findings.map(cellsOf)].map((cells) => cells.map(shortened));
  const widths = columns.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)));
  const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
  const summary = `${count('ok')} ok, ${count('differs')} differ, ${count('not tried')} not tried`;
  const ends = [
    summary,
    ...(interrupted === undefined ? [] : ['interrupted: the rest was not tried']),
    endOf(left, stays),
  ];
  return [...lines, '', ...ends].join('\n');
}

function endOf(left: readonly string[], stays: readonly string[]): string {
  if (left.length > 0) return `LEFT IN THE ACCOUNT: ${left.join(', ')}`;
  if (stays.length > 0) return `stays in the account, as asked: ${stays.join(', ')}`;
  return 'nothing is left in the account';
}

function cellsOf({ capability, claimed, seen, verdict }: Finding): string[] {
  return [capability, claimed, seen, verdict];
}

function shortened(cell: string): string {
  return cell.length <= cellMax || cell.startsWith('delete by hand') ? cell : `${cell.slice(0, cellMax - 1)}…`;
}
