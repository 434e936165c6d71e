import { shortFigure } from '../harness/alternate';
import { isMet, type Finding, type RowResult } from '../harness/finding';

/** The figures of a row for who watches: one line each, and whether the target was met. */
export function printResult({ id, findings, notes, tookS }: RowResult, print: (line: string) => void): void {
  for (const finding of findings) print(`  ${id}  ${describeFinding(finding)}`);
  for (const note of notes) print(`  ${note}`);
  print(`  ${id} took ${tookS} s`);
}

function describeFinding(finding: Finding): string {
  const { what, unit, ours, against, baseline } = finding;
  const other = baseline === undefined ? '' : `, ${against} ${shortFigure(baseline)} ${unit}`;
  const found = `${what}: ours ${shortFigure(ours)} ${unit}${other} -> ${judgedText(finding)}`;
  if (finding.target === undefined) return `${found} (no target)`;
  return `${found} (target ${targetText(finding)}): ${isMet(finding) ? 'met' : 'MISSED'}`;
}

/** `0.98×`, `1.4 ms`. */
export function judgedText({ judged, judgedUnit }: Finding): string {
  // A ratio of a hundredth must not read as 0.01 when it is 0.0149.
  const text = judgedUnit === '×' ? Number(judged.toPrecision(3)).toString() : shortFigure(judged);
  return judgedUnit === '×' ? `${text}×` : `${text} ${judgedUnit}`;
}

/** `≥ 1×`, `≤ 10.5 calls`; nothing without a target. */
export function targetText({ target, judgedUnit }: Finding): string {
  if (target === undefined) return '';
  const [sign, bound] = 'atLeast' in target ? ['≥', target.atLeast] : ['≤', target.atMost];
  return `${sign} ${bound}${judgedUnit === '×' ? '×' : ` ${judgedUnit}`}`;
}
