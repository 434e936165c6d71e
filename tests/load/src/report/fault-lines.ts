import { existsSync, readFileSync } from 'node:fs';

/** A line of `npm run test:faults`. What it must have; more members are shown as they are. */
export interface FaultLine {
  readonly row: string;
  readonly seed: number;
  readonly size: string | number;
  readonly accepted: number;
  readonly [member: string]: unknown;
}

/**
 * What a row saw and should not have (`broken`), and times past its own aims (`slow`), which the table has no column for.
 * @returns lines of Markdown, none when every row was as it should be
 */
export function faultFindings(lines: readonly FaultLine[]): string[] {
  const found = lines.flatMap((line) =>
    [...textsOf(line.broken), ...textsOf(line.slow)].map((text) => `- ${line.row}: ${text}.`),
  );
  return found.length === 0
    ? []
    : ['', 'What must not be seen, or came later than a row aims at (milliseconds):', '', ...found];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Members of a fault line in the order of the table, with their headings. */
const columns: readonly (readonly [member: string, heading: string])[] = [
  ['row', 'row'],
  ['size', 'size'],
  ['seed', 'seed'],
  ['day', 'day'],
  ['accepted', 'accepted'],
  ['unknown', 'unknown'],
  ['lost', 'lost'],
  ['duplicates', 'duplicates'],
  ['nonTerminal', 'not ended'],
  ['falseSuccess', 'false success'],
  ['falseFailure', 'false failure'],
  ['order', 'order'],
  ['crosstalk', 'crosstalk'],
  ['recoveryMs', 'recovery ms'],
  ['bound', 'bound'],
];

/** The lines of the file, each row's last one only, by the number in its name. A line that is no JSON fails. */
export function readFaultLines(file: string): FaultLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const last = new Map(lines.map((line) => JSON.parse(line) as FaultLine).map((line) => [line.row, line]));
  return [...last.values()].sort((a, b) => numberOf(a.row) - numberOf(b.row));
}

/** @returns lines of Markdown; says so when nothing was run */
export function faultTable(lines: readonly FaultLine[]): string[] {
  if (lines.length === 0) return ['No row was run at full size yet: `npm run test:faults -- --full` does it.'];
  return [
    `| ${columns.map(([, heading]) => heading).join(' | ')} |`,
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...lines.map((line) => `| ${columns.map(([member]) => textOf(line[member])).join(' | ')} |`),
  ];
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function numberOf(row: string): number {
  return Number(/\d+/.exec(row)?.[0] ?? Infinity);
}
