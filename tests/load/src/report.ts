import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import { recordLines } from '@sluice/testkit';
import { shortFigure } from './harness/alternate';
import { isMet, type Finding, type RowResult } from './harness/finding';

/** The record of the benchmark: what a row has found replaces its lines, and leaves the others. */
const report = join(repositoryRoot, 'BENCHMARKS.md');

export function recordRow({ id, findings, notes }: RowResult): void {
  const day = new Date().toISOString().slice(0, 10);
  const rows = findings.map((finding) => `| ${[id, ...cells(finding), day].join(' | ')} |`);
  const conditions = notes.map((note) => `- ${note}`);
  recordLines(report, `| ${id} |`, rows);
  recordLines(report, `- ${id}: `, conditions);
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.version}`;
  recordLines(report, '- Last run: ', [`- Last run: ${day}, ${id}, on ${machine}.`]);
}

/** The figures of a row for who watches: one line each, and whether the target was met. */
export function printRow({ id, findings, notes, tookS }: RowResult, print: (line: string) => void): void {
  for (const finding of findings) {
    const [what, ours, baseline, against, judged, target, met] = cells(finding);
    print(`  ${id}  ${what}: ours ${ours}, ${against} ${baseline} -> ${judged} (target ${target}): ${met}`);
  }
  for (const note of notes) print(`  ${note}`);
  print(`  ${id} took ${tookS} s`);
}

function cells(finding: Finding): string[] {
  const { what, unit, ours, against, baseline, judged, judgedUnit, target, rounds, floor } = finding;
  const range = (figures: readonly number[] = []): string =>
    figures.length < 2 ? '' : ` (${shortFigure(Math.min(...figures))} to ${shortFigure(Math.max(...figures))})`;
  const figure = (value: number, figures?: readonly number[]): string =>
    `${shortFigure(value)} ${unit}${range(figures)}`;
  const [sign, bound] =
    target === undefined ? ['', ''] : 'atLeast' in target ? ['≥ ', target.atLeast] : ['≤ ', target.atMost];
  const missed = floor === undefined ? 'missed' : `missed; the least that keeps the promise: ${floor}`;
  // A ratio of a hundredth must not read as 0.01 when it is 0.0149.
  const text = judgedUnit === '×' ? `${Number(judged.toPrecision(3))}×` : `${shortFigure(judged)} ${judgedUnit}`;
  return [
    what,
    figure(ours, rounds?.ours),
    baseline === undefined ? '' : figure(baseline, rounds?.baseline),
    against,
    text,
    target === undefined ? 'none' : `${sign}${bound}${judgedUnit === '×' ? '×' : ` ${judgedUnit}`}`,
    { true: 'met', false: missed, undefined: '' }[`${isMet(finding)}`],
  ];
}
