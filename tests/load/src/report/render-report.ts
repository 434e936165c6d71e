import { shortFigure } from '../harness/alternate';
import type { Row } from '../harness/bench';
import { isMet, type Finding } from '../harness/finding';
import { faultFindings, faultTable, type FaultLine } from './fault-lines';
import type { Machine } from './machine';
import { readerLines } from './reader-lines';
import { judgedText, targetText } from './print-result';
import type { Results } from './results-file';

/** BENCHMARKS.md, whole. Rows that were never run say so. */
export function renderReport(
  rows: readonly Pick<Row, 'id' | 'goal'>[],
  results: Results,
  faults: readonly FaultLine[],
): string {
  return [
    '# Benchmarks',
    '',
    ...readerLines(results, faults),
    '## How it is measured',
    '',
    'Written by `npm run bench`; a single row again: `npm run bench -- --row P6`. How it measures: [tests/load](tests/load/README.md).',
    'Ours and the baseline take turns in one run on one machine, with the load generator on the same cores: trust the ratios, not the figures.',
    'A figure is the median of its rounds where there is more than one.',
    '',
    ...machineLines(results),
    '',
    '## Speed and memory',
    '',
    '| | what | ours | baseline | | result | target | |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.flatMap((row) => rowLines(row, results)),
    '',
    ...missedLines(rows, results),
    '## Conditions',
    '',
    ...rows.flatMap(({ id }) => (results[id]?.notes ?? []).map((note) => `- ${note}`)),
    '',
    '## Rounds',
    '',
    ...rows.flatMap(({ id }) => (results[id]?.findings ?? []).flatMap((finding) => roundLines(id, finding))),
    '',
    '## Faults',
    '',
    'Each line is one run of `npm run test:faults -- --full --row <row> --seed <seed>`, which writes while the fault happens and then compares',
    'what was promised with what the provider got. `bound`: with no violation in n writes, fewer than 3/n at 95 %.',
    '',
    ...faultTable(faults),
    ...faultFindings(faults),
    '',
  ].join('\n');
}

function rowLines({ id, goal }: Pick<Row, 'id' | 'goal'>, results: Results): string[] {
  const result = results[id];
  if (result === undefined) return [`| ${id} | ${goal} | | | | not run | | |`];
  return result.findings.map((finding) => `| ${id} | ${finding.what} | ${cells(finding).join(' | ')} |`);
}

function cells(finding: Finding): string[] {
  const { ours, baseline, unit, against } = finding;
  return [
    `${shortFigure(ours)} ${unit}`,
    baseline === undefined ? '' : `${shortFigure(baseline)} ${unit}`,
    against,
    `**${judgedText(finding)}**`,
    targetText(finding),
    { true: 'met', false: '**missed**', undefined: '' }[`${isMet(finding)}`],
  ];
}

function missedLines(rows: readonly Pick<Row, 'id'>[], results: Results): string[] {
  const missed = rows.flatMap(({ id }) =>
    (results[id]?.findings ?? [])
      .filter((finding) => isMet(finding) === false)
      .map(
        (finding) =>
          `- ${id}, ${finding.what}: ${judgedText(finding)} where ${targetText(finding)} was the target${floorText(finding)}.`,
      ),
  );
  if (missed.length === 0) return [];
  return ['Missed:', '', ...missed, ''];
}

function floorText({ floor }: Finding): string {
  return floor === undefined ? '' : `; the least that keeps the promise reaches ${floor}`;
}

function roundLines(id: string, { what, rounds, against }: Finding): string[] {
  if (rounds === undefined) return [];
  const list = (values: readonly number[]): string => values.map(shortFigure).join(', ');
  const other = rounds.baseline === undefined ? '' : `; ${against}: ${list(rounds.baseline)}`;
  return [`- ${id}, ${what}: ours ${list(rounds.ours)}${other}.`];
}

/** One line per machine that figures come from: usually one. */
function machineLines(results: Results): string[] {
  const byMachine = new Map<string, { ids: string[]; days: Set<string> }>();
  for (const { id, machine, at } of Object.values(results)) {
    const text = machineText(machine);
    const entry = byMachine.get(text) ?? { ids: [], days: new Set() };
    entry.ids.push(id);
    entry.days.add(at.slice(0, 10));
    byMachine.set(text, entry);
  }
  const isOne = byMachine.size === 1;
  return [...byMachine].map(
    ([text, { ids, days }]) => `- ${isOne ? '' : `${ids.join(', ')}: `}${[...days].sort().join(', ')}, ${text}`,
  );
}

function machineText(machine: Machine): string {
  const { cores, cpu, memoryGigabytes, node, postgres, durability, redis, kafka, packages } = machine;
  return `${cores} cores (${cpu}), ${memoryGigabytes} GB, Node ${node}, Postgres ${postgres} (${durability}), Redis ${redis}, Kafka: ${kafka}; ${packages}.`;
}
